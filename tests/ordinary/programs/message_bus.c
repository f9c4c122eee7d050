/* Message bus with tagged unions, bit-fields, byte orders, and callbacks table. */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum kind { PING, SET, GET, KINDS };
struct msg { enum kind kind; uint16_t id; union { struct { uint32_t key, value; } set; uint32_t key; unsigned char raw[12]; } u; struct { unsigned urgent : 1, ttl : 5; } f; };
#define QN 8
static struct { struct msg *q[QN]; int h, n; pthread_mutex_t m; pthread_cond_t ne, nf; } bus = { .m = PTHREAD_MUTEX_INITIALIZER, .ne = PTHREAD_COND_INITIALIZER, .nf = PTHREAD_COND_INITIALIZER };
static uint32_t store[16]; static unsigned handled[KINDS]; static pthread_mutex_t sm = PTHREAD_MUTEX_INITIALIZER;
static void ping(const struct msg *m) { printf("ping %u\n", m->id); }
static void set(const struct msg *m) { pthread_mutex_lock(&sm); store[m->u.set.key % 16] = m->u.set.value; pthread_mutex_unlock(&sm); }
static void get(const struct msg *m) { pthread_mutex_lock(&sm); uint32_t v = store[m->u.key & 15]; pthread_mutex_unlock(&sm); printf("%u\n", v); }
static void (*const handlers[KINDS])(const struct msg *) = { [PING] = ping, [SET] = set, [GET] = get };
static void post(struct msg *m) { pthread_mutex_lock(&bus.m); while (bus.n == QN) pthread_cond_wait(&bus.nf, &bus.m); bus.q[(bus.h + bus.n++) % QN] = m; pthread_cond_signal(&bus.ne); pthread_mutex_unlock(&bus.m); }
static struct msg *next(void) { pthread_mutex_lock(&bus.m); while (!bus.n) pthread_cond_wait(&bus.ne, &bus.m); struct msg *m = bus.q[bus.h]; bus.h = (bus.h + 1) % QN; bus.n--; pthread_cond_signal(&bus.nf); pthread_mutex_unlock(&bus.m); return m; }
static struct msg *decode(const unsigned char *p, size_t n)
{
    if (n < 8) return NULL;
    struct msg *m = calloc(1, sizeof *m); uint32_t w; uint16_t h;
    if (!m) return NULL;
    memcpy(&h, p, 2); m->id = ntohs(h); m->kind = p[2] % KINDS; m->f.urgent = p[3] >> 7; m->f.ttl = p[3] & 31;
    memcpy(&w, p + 4, 4);
    if (m->kind == SET && n >= 12) { m->u.set.key = ntohl(w); memcpy(&w, p + 8, 4); m->u.set.value = ntohl(w); } else if (m->kind == GET) m->u.key = ntohl(w);
    return m;
}
static void *dispatch(void *a) { struct msg *m; while ((m = next())->f.ttl) { pthread_mutex_lock(&sm); handled[m->kind]++; pthread_mutex_unlock(&sm); handlers[m->kind](m); free(m); } free(m); return a; }
int main(void)
{
    static const unsigned char wire[][12] = { { 0, 1, 0, 1 }, { 0, 2, 1, 129, 0, 0, 0, 3, 0, 0, 0, 9 }, { 0, 3, 2, 1, 0, 0, 0, 3 } };
    pthread_t t; pthread_create(&t, NULL, dispatch, NULL);
    for (size_t i = 0; i < sizeof wire / sizeof *wire; i++) { struct msg *m = decode(wire[i], sizeof wire[i]); if (m) post(m); }
    struct msg *end = calloc(1, sizeof *end); if (!end) abort();
    post(end);
    pthread_join(t, NULL);
    for (enum kind k = PING; k < KINDS; k++) printf("%d: %u\n", k, handled[k]);
    return 0;
}
