// A chat server of three files: main.c accepts, sessions.c keeps the list of clients, commands.c is what a client's thread does.
// It stops at SIGINT and SIGTERM: the handler sets a flag.
//
// expect assertions: SAFE
// expect races: SAFE
// expect mutex: SAFE

#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

atomic_int stopping;

static void stop(int number)
{
    (void)number;
    stopping = 1;
}

void report(const char *format, ...)
{
    char stamp[32], text[256];
    struct tm parts;
    time_t now = time(NULL);
    va_list arguments;

    if (localtime_r(&now, &parts) == NULL || strftime(stamp, sizeof stamp, "%H:%M:%S", &parts) == 0)
        strcpy(stamp, "?");
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s %s\n", stamp, text);
}

static void handle_signals(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = stop;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGINT, &action, NULL) != 0 || sigaction(SIGTERM, &action, NULL) != 0) {
        perror("sigaction");
        exit(EXIT_FAILURE);
    }
    signal(SIGPIPE, SIG_IGN);
}

static int listen_at(unsigned short port)
{
    struct sockaddr_in address;
    int yes = 1;
    int listening = socket(AF_INET, SOCK_STREAM, 0);

    if (listening < 0) {
        perror("socket");
        exit(EXIT_FAILURE);
    }
    setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_ANY);
    address.sin_port = htons(port);
    if (bind(listening, (struct sockaddr *)&address, sizeof address) != 0) {
        perror("bind");
        exit(EXIT_FAILURE);
    }
    if (listen(listening, 16) != 0) {
        perror("listen");
        exit(EXIT_FAILURE);
    }
    return listening;
}

int main(int argc, char **argv)
{
    long port = 7777;
    int option;

    while ((option = getopt(argc, argv, "p:")) != -1) {
        if (option != 'p') {
            fprintf(stderr, "usage: %s [-p port]\n", argv[0]);
            return EXIT_FAILURE;
        }
        port = strtol(optarg, NULL, 10);
        if (port <= 0 || port > 65535) {
            fprintf(stderr, "%s: not a port: %s\n", argv[0], optarg);
            return EXIT_FAILURE;
        }
    }
    handle_signals();
    int listening = listen_at((unsigned short)port);
    report("listening at port %ld", port);

    while (!stopping) {
        struct sockaddr_in peer;
        socklen_t size = sizeof peer;
        int descriptor = accept(listening, (struct sockaddr *)&peer, &size);
        if (descriptor < 0) {
            if (errno == EINTR)
                continue;
            report("accept: error %d", errno);
            break;
        }
        if (sessions_add(descriptor) != 0)
            report("no room for a client");
    }
    report("stopping");
    close(listening);
    sessions_close();
    return EXIT_SUCCESS;
}
