/* Threads write the cells of their neighbours. */
#include <pthread.h>
struct argument { int id, result; };
struct argument arguments[3];
void *work(void *given)
{
    struct argument *mine = given;
    mine[1].result = mine->id;
    mine->result = 1;
    return 0;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        arguments[i].id = i;
        pthread_create(&threads[i], 0, work, &arguments[i]);
    }
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
