/* The argument is written after the thread that gets it was started. */
#include <pthread.h>
struct argument { int id, result; };
struct argument arguments[3];
void *work(void *given)
{
    struct argument *mine = given;
    mine->result = mine->id;
    return 0;
}
int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) {
        pthread_create(&threads[i], 0, work, &arguments[i]);
        arguments[i].id = i;
    }
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
