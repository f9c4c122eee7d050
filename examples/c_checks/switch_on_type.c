// Requests of two kinds to one database, under its lock; with RACY: one kind is without.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
#include <stdlib.h>
enum kind { READ, WRITE };
struct request { enum kind kind; int *target; };
static int db, log_lines;
static pthread_mutex_t db_lock = PTHREAD_MUTEX_INITIALIZER;
static void *serve(void *arg)
{
    struct request *r = arg;
    int v = 0;
    switch (r->kind) {
    case READ:
        pthread_mutex_lock(&db_lock);
        v = *r->target;
        pthread_mutex_unlock(&db_lock);
        break;
    case WRITE:
#ifdef RACY
        *r->target = 1;
#else
        pthread_mutex_lock(&db_lock);
        *r->target = 1;
        pthread_mutex_unlock(&db_lock);
#endif
        break;
    default:
        abort();
    }
    return (void *)(long)v;
}
int main(void)
{
    pthread_t s, t;
    struct request a = { READ, &db }, b = { WRITE, &db };
    pthread_create(&s, NULL, serve, &a);
    pthread_create(&t, NULL, serve, &b);
    log_lines++;
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return db;
}
