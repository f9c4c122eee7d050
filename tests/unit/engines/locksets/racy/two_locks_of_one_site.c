/* One line allocates two mutexes: they are not one lock. */
#include <pthread.h>
#include <stdlib.h>
int x;
struct job { pthread_mutex_t *m; };
void *work(void *p) { struct job *j = p; pthread_mutex_lock(j->m); x++; pthread_mutex_unlock(j->m); return 0; }
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++) {
        struct job *j = malloc(sizeof *j);
        j->m = malloc(sizeof *j->m);
        pthread_mutex_init(j->m, 0);
        pthread_create(&t[i], 0, work, j);
    }
}
