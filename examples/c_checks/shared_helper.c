// Several thread functions call one helper that locks; with RACY: one of them does without.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int log_count, debug_count;
static void note(int *where)
{
    pthread_mutex_lock(&m);
    (*where)++;
    pthread_mutex_unlock(&m);
}
static void *reader(void *arg) { note(&log_count); return arg; }
static void *writer(void *arg)
{
    note(&log_count);
    note(&debug_count);
#ifdef RACY
    debug_count = 0;
#endif
    return arg;
}
static void *cleaner(void *arg) { note(&debug_count); return arg; }
int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], 0, reader, 0);
    pthread_create(&t[1], 0, writer, 0);
    pthread_create(&t[2], 0, cleaner, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    pthread_join(t[2], 0);
    return log_count + debug_count;
}
