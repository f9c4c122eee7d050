/* The table of locks is replaced while others use it. */
#include <pthread.h>
#include <stdlib.h>
struct table { pthread_mutex_t *locks; int *cells; };
struct table *table;
extern int __VERIFIER_nondet_int(void);
static pthread_mutex_t *make(void)
{
    pthread_mutex_t *locks = malloc(2 * sizeof *locks);
    pthread_mutex_init(&locks[0], 0);
    pthread_mutex_init(&locks[1], 0);
    return locks;
}
void *work(void *unused)
{
    int k = __VERIFIER_nondet_int() & 1;
    pthread_mutex_lock(&table->locks[k]);
    table->cells[k]++;
    pthread_mutex_unlock(&table->locks[k]);
    return 0;
}
int main(void)
{
    pthread_t a, b;
    table = malloc(sizeof *table);
    table->locks = make();
    table->cells = calloc(2, sizeof(int));
    pthread_create(&a, 0, work, 0);
    table->locks = make();
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
