// One connection that threads share: who sets its flag under the lock uses it alone until the flag is down.
// Wrong here: whether it is busy is asked once only.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct connection {
    bool busy;
    int sent;
    int received;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static struct connection connection;

static void *client(void *unused)
{
    pthread_mutex_lock(&lock);
    if (connection.busy)
        pthread_cond_wait(&idle, &lock);
    connection.busy = true;
    pthread_mutex_unlock(&lock);
    connection.sent++;
    connection.received = connection.sent;
    pthread_mutex_lock(&lock);
    connection.busy = false;
    pthread_cond_signal(&idle);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, client, NULL) != 0)
            abort();
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return connection.sent == 3 ? 0 : 1;
}
