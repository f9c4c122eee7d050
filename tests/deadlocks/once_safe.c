/* One initialisation needs another. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include "background.h"

static pthread_once_t first_once = PTHREAD_ONCE_INIT;
static pthread_once_t second_once = PTHREAD_ONCE_INIT;
static int ready;

static void first(void);

static void innermost(void) { ready = 1; }

static void second(void)
{
    SLOWLY;
    innermost();
}

static void first(void)
{
    SLOWLY;
    pthread_once(&second_once, second);
}

static void *one(void *argument)
{
    (void)argument;
    pthread_once(&first_once, first);
    return 0;
}

static void *other(void *argument)
{
    (void)argument;
    pthread_once(&second_once, second);
    return 0;
}

int main(void)
{
    pthread_t first, second;
    start_background();
    pthread_create(&first, 0, one, 0);
    pthread_create(&second, 0, other, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
