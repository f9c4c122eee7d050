/* The result of the second thread is read when the first one was joined. */
#include <pthread.h>
struct argument { int id, result; };
struct argument arguments[2];
void *work(void *given)
{
    struct argument *mine = given;
    mine->result = 1;
    return 0;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, &arguments[i]);
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], 0);
        sum += arguments[1 - i].result;
    }
    return sum;
}
