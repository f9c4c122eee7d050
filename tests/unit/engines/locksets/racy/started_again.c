/* The same argument is used for a second thread while the first one still runs. */
#include <pthread.h>
struct argument { int id, result; };
struct argument arguments[2];
void *work(void *given)
{
    struct argument *mine = given;
    mine->result = mine->id;
    return 0;
}
int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        arguments[i & 1].id = i;
        pthread_create(&threads[i], 0, work, &arguments[i & 1]);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    return 0;
}
