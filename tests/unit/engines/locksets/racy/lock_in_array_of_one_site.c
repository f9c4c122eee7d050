/* One allocation of two records: their locks are not one. */
#include <pthread.h>
#include <stdlib.h>
int x;
struct part { pthread_mutex_t m; int y; };
void *work(void *p) { struct part *q = p; pthread_mutex_lock(&q->m); x++; pthread_mutex_unlock(&q->m); return 0; }
int main(void) {
    pthread_t t, u;
    struct part *parts = calloc(2, sizeof *parts);
    pthread_mutex_init(&parts[0].m, 0);
    pthread_mutex_init(&parts[1].m, 0);
    pthread_create(&t, 0, work, &parts[0]);
    pthread_create(&u, 0, work, &parts[1]);
}
