/* Key-value store on disk: record locks, crc, compaction thread. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define MAGIC 0x4b56u
struct __attribute__((packed)) header { uint16_t magic; uint8_t klen, flags; uint32_t vlen, crc; };
struct index { uint64_t hash; off_t at; uint32_t len; bool live; };
static struct { int fd; struct index *v; size_t n, cap; pthread_rwlock_t lk; bool stop; off_t end; } db = { .fd = -1, .lk = PTHREAD_RWLOCK_INITIALIZER };
static uint32_t crc(const void *p, size_t n) { const uint8_t *b = p; uint32_t c = ~0u; while (n--) { c ^= *b++; for (int k = 0; k < 8; k++) c = c & 1 ? (c >> 1) ^ 0xedb88320u : c >> 1; } return ~c; }
static uint64_t hash(const char *s) { uint64_t h = 5381; while (*s) h = h * 33 + (unsigned char)*s++; return h; }
static int put(const char *k, const void *v, uint32_t n)
{
    struct header h = { MAGIC, (uint8_t)strlen(k), 0, n, crc(v, n) };
    int rc = -1;
    pthread_rwlock_wrlock(&db.lk);
    if (db.n == db.cap) { size_t cap = db.cap ? 2 * db.cap : 8; void *p = reallocarray(db.v, cap, sizeof *db.v); if (!p) goto out; db.v = p; db.cap = cap; }
    if (pwrite(db.fd, &h, sizeof h, db.end) != (ssize_t)sizeof h || pwrite(db.fd, k, h.klen, db.end + (off_t)sizeof h) != h.klen || pwrite(db.fd, v, n, db.end + (off_t)sizeof h + h.klen) != (ssize_t)n) goto out;
    for (size_t i = 0; i < db.n; i++) if (db.v[i].hash == hash(k)) db.v[i].live = false;
    db.v[db.n++] = (struct index){ hash(k), db.end, n, true };
    db.end += (off_t)(sizeof h + h.klen + n);
    fdatasync(db.fd);
    rc = 0;
out:
    pthread_rwlock_unlock(&db.lk);
    return rc;
}
static ssize_t get(const char *k, void *to, size_t max)
{
    ssize_t r = -1; uint64_t h = hash(k);
    pthread_rwlock_rdlock(&db.lk);
    for (size_t i = db.n; i-- > 0;) if (db.v[i].live && db.v[i].hash == h) {
        struct header hd;
        if (pread(db.fd, &hd, sizeof hd, db.v[i].at) != (ssize_t)sizeof hd || hd.magic != MAGIC) break;
        size_t n = hd.vlen < max ? hd.vlen : max;
        r = pread(db.fd, to, n, db.v[i].at + (off_t)sizeof hd + hd.klen);
        break;
    }
    pthread_rwlock_unlock(&db.lk);
    return r;
}
static void *compact(void *a)
{
    for (;;) {
        pthread_rwlock_wrlock(&db.lk);
        if (db.stop) { pthread_rwlock_unlock(&db.lk); return a; }
        size_t w = 0;
        for (size_t i = 0; i < db.n; i++) if (db.v[i].live) db.v[w++] = db.v[i];
        db.n = w;
        pthread_rwlock_unlock(&db.lk);
        sleep(1);
    }
}
static void *client(void *a) { char b[32]; put(a, "value", 6); if (get(a, b, sizeof b) > 0) printf("%s=%.6s\n", (char *)a, b); return NULL; }
int main(int argc, char **argv)
{
    struct flock fl = { .l_type = F_WRLCK, .l_whence = SEEK_SET }; struct stat sb; pthread_t c, t[2];
    db.fd = open(argc > 1 ? argv[1] : "data.kv", O_RDWR | O_CREAT, 0600);
    if (db.fd < 0 || fcntl(db.fd, F_SETLK, &fl) || fstat(db.fd, &sb)) { perror("open"); return 1; }
    db.end = sb.st_size;
    pthread_create(&c, NULL, compact, NULL);
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, client, i ? "one" : "two");
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    pthread_rwlock_wrlock(&db.lk); db.stop = true; pthread_rwlock_unlock(&db.lk);
    pthread_join(c, NULL);
    close(db.fd); free(db.v);
    return 0;
}
