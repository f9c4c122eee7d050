// Connections are numbers; what is received is any value.
//
// expect -D RACE races: UNSAFE
// expect -D EVENTS assertions: UNSAFE

#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <syslog.h>

static char shared[2];

static void *work(void *unused)
{
    recv(0, shared, sizeof shared, 0);
    return NULL;
}

static void others(int socket)
{
    struct sockaddr_in address = { 0 };
    socklen_t length = sizeof address;
    char buffer[4];
    fd_set set;
    bind(socket, (struct sockaddr *)&address, sizeof address);
    connect(socket, (struct sockaddr *)&address, sizeof address);
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &length, sizeof length);
    accept(0, (struct sockaddr *)&address, &length);
    recvfrom(socket, buffer, 4, 0, (struct sockaddr *)&address, &length);
    sendto(socket, buffer, 4, 0, (struct sockaddr *)&address, length);
    send(socket, buffer, 4, 0);
    FD_ZERO(&set);
    select(1, &set, 0, 0, 0);
    openlog("x", 0, 0);
    syslog(LOG_INFO, "%d", socket);
}

int main(void)
{
#ifdef RACE
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    shared[0] = 1;
    pthread_join(thread, NULL);
#else
    struct pollfd polled = { 3, POLLIN, 0 };
    poll(&polled, 1, -1);
    assert(polled.fd == 3 && polled.revents != 1);
#endif
    (void)work;
    (void)others;
    return 0;
}
