// A list under one lock: any number of elements, read and changed by two threads. The bug: `head` is looked at without it.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

struct node {
    int value;
    struct node *next;
};

static struct node *head;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void push(int value) {
    struct node *fresh = malloc(sizeof *fresh);
    fresh->value = value;
    pthread_mutex_lock(&lock);
    fresh->next = head;
    head = fresh;
    pthread_mutex_unlock(&lock);
}

static int pop(void) {
    int value = -1;
    if (!head)
        return value;
    pthread_mutex_lock(&lock);
    if (head) {
        struct node *first = head;
        head = first->next;
        value = first->value;
        free(first);
    }
    pthread_mutex_unlock(&lock);
    return value;
}

static void *producer(void *unused) {
    while (__VERIFIER_nondet_int())
        push(__VERIFIER_nondet_int());
    return 0;
}

static void *consumer(void *unused) {
    while (__VERIFIER_nondet_int())
        pop();
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return head != 0;
}
