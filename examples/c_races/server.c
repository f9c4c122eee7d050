// A server: a thread for every connection, and a count of them.
//
// expect races: SAFE

#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int clients;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void count(int change)
{
    pthread_mutex_lock(&lock);
    clients += change;
    pthread_mutex_unlock(&lock);
}

static void *serve(void *argument)
{
    int connection = *(int *)argument;
    char buffer[128];
    free(argument);
    count(1);
    for (;;) {
        ssize_t size = recv(connection, buffer, sizeof buffer, 0);
        if (size <= 0)
            break;
        send(connection, buffer, size, 0);
    }
    close(connection);
    count(-1);
    return NULL;
}

int main(void)
{
    int listening = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(8080);
    if (bind(listening, (struct sockaddr *)&address, sizeof address) < 0)
        return 1;
    listen(listening, 5);
    for (;;) {
        int connection = accept(listening, NULL, NULL);
        if (connection < 0)
            break;
        int *argument = malloc(sizeof *argument);
        *argument = connection;
        pthread_t thread;
        pthread_create(&thread, NULL, serve, argument);
        pthread_detach(thread);
    }
    return 0;
}
