/* Pipeline: producer maps a file, filters count words, writer sorts with qsort. */
#include <ctype.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#define N 4
struct item { const char *p; size_t n; };
static struct item ring[N]; static unsigned in, out; static sem_t empty, full; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct count { char word[24]; unsigned n; };
static struct count table[64]; static size_t used;
static pthread_mutex_t tm_ = PTHREAD_MUTEX_INITIALIZER;
static void put(struct item i) { sem_wait(&empty); pthread_mutex_lock(&m); ring[in++ % N] = i; pthread_mutex_unlock(&m); sem_post(&full); }
static struct item take(void) { sem_wait(&full); pthread_mutex_lock(&m); struct item i = ring[out++ % N]; pthread_mutex_unlock(&m); sem_post(&empty); return i; }
static void count(const char *p, size_t n)
{
    char w[24]; if (n >= sizeof w) n = sizeof w - 1;
    for (size_t i = 0; i < n; i++) w[i] = (char)tolower((unsigned char)p[i]);
    w[n] = 0;
    pthread_mutex_lock(&tm_);
    size_t i; for (i = 0; i < used && strcmp(table[i].word, w); i++) ;
    if (i == used && used < 64) { strcpy(table[used++].word, w); }
    if (i < 64) table[i].n++;
    pthread_mutex_unlock(&tm_);
}
static void *filter(void *a) { for (;;) { struct item i = take(); if (!i.p) return a; count(i.p, i.n); } }
static int by_count(const void *a, const void *b) { const struct count *x = a, *y = b; return x->n == y->n ? strcmp(x->word, y->word) : x->n < y->n ? 1 : -1; }
int main(int argc, char **argv)
{
    struct stat sb; pthread_t t[2];
    if (argc != 2) { fprintf(stderr, "usage: %s file\n", *argv); return 2; }
    int fd = open(argv[1], O_RDONLY);
    if (fd == -1 || fstat(fd, &sb) == -1) { perror(argv[1]); return 1; }
    const char *p = mmap(NULL, (size_t)sb.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED) { perror("mmap"); return 1; }
    sem_init(&empty, 0, N); sem_init(&full, 0, 0);
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, filter, NULL);
    const char *end = p + sb.st_size, *q = p;
    while (q < end) { while (q < end && !isalpha((unsigned char)*q)) q++; const char *s = q; while (q < end && isalpha((unsigned char)*q)) q++; if (q > s) put((struct item){ s, (size_t)(q - s) }); }
    for (int i = 0; i < 2; i++) put((struct item){ NULL, 0 });
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    munmap((void *)p, (size_t)sb.st_size); close(fd);
    qsort(table, used, sizeof *table, by_count);
    for (size_t i = 0; i < used && i < 10; i++) printf("%6u %s\n", table[i].n, table[i].word);
    sem_destroy(&empty); sem_destroy(&full);
    return 0;
}
