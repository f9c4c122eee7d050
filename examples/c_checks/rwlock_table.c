// A table under a read-write lock; with RACY: readers write.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
#define SIZE 16
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int table[SIZE], used;
static int find(int key)
{
    int at = -1;
    pthread_rwlock_rdlock(&rw);
    for (int i = 0; i < used; i++)
        if (table[i] == key) {
            at = i;
#ifdef RACY
            table[i]++;
#endif
        }
    pthread_rwlock_unlock(&rw);
    return at;
}
static void insert(int key)
{
    pthread_rwlock_wrlock(&rw);
    if (used < SIZE)
        table[used++] = key;
    pthread_rwlock_unlock(&rw);
}
static void *reader(void *arg) { for (int i = 0; i < 9; i++) find(i); return arg; }
static void *writer(void *arg) { for (int i = 0; i < 9; i++) insert(i); return arg; }
int main(void)
{
    pthread_t r1, r2, w;
    pthread_create(&r1, NULL, reader, NULL);
    pthread_create(&r2, NULL, reader, NULL);
    pthread_create(&w, NULL, writer, NULL);
    pthread_join(r1, NULL);
    pthread_join(r2, NULL);
    pthread_join(w, NULL);
    return used;
}
