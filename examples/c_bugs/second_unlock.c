// A mail spool: an error path gives the lock back twice.
//
// expect mutex: UNSAFE

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct message { char *text; size_t size; struct message *next; };
static struct { pthread_mutex_t lock; struct message *head, **tail; unsigned count; } spool;
static int spool_push(const char *text, size_t size)
{
    struct message *m;
    int error = 0;
    pthread_mutex_lock(&spool.lock);
    if (spool.count >= 8) {
        error = ENOSPC;
        goto out;
    }
    m = malloc(sizeof *m);
    if (m == NULL) { error = ENOMEM; goto out; }
    m->text = malloc(size + 1);
    if (m->text == NULL) { free(m); error = ENOMEM; goto out; }
    memcpy(m->text, text, size);
    m->text[size] = '\0';
    m->size = size;
    m->next = NULL;
    *spool.tail = m;
    spool.tail = &m->next;
    spool.count++;
out:
    pthread_mutex_unlock(&spool.lock);
    return error;
}
static struct message *spool_pop(void)
{
    pthread_mutex_lock(&spool.lock);
    struct message *m = spool.head;
    if (m == NULL) {
        pthread_mutex_unlock(&spool.lock);
        goto none;
    }
    spool.head = m->next;
    if (spool.head == NULL) spool.tail = &spool.head;
    spool.count--;
none:
    pthread_mutex_unlock(&spool.lock);
    return m;
}
static void *deliver(void *arg)
{
    int fd = open((const char *)arg, O_WRONLY | O_CREAT, 0600);
    if (fd < 0) return NULL;
    for (int i = 0; i < 10; i++) {
        struct message *m = spool_pop();
        if (m == NULL) { usleep(100); continue; }
        if (write(fd, m->text, m->size) < 0) perror("write");
        free(m->text);
        free(m);
    }
    close(fd);
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t t;
    char line[128];
    pthread_mutex_init(&spool.lock, NULL);
    spool.tail = &spool.head;
    if (argc < 2) { fprintf(stderr, "usage: %s mailbox\n", argv[0]); return 2; }
    if (pthread_create(&t, NULL, deliver, argv[1]) != 0) return 1;
    while (fgets(line, sizeof line, stdin) != NULL) {
        int error = spool_push(line, strlen(line));
        if (error != 0) fprintf(stderr, "spool: %s\n", strerror(error));
    }
    pthread_join(t, NULL);
    return 0;
}
