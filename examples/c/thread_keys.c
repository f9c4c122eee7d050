// Thread-specific data behind a key: each thread finds what it left.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>

static pthread_key_t key;

static void *work(void *argument)
{
    assert(pthread_getspecific(key) == NULL);
    pthread_setspecific(key, argument);
    assert(pthread_getspecific(key) == argument);
    return NULL;
}

int main(void)
{
    int one, two;
    pthread_t first, second;
    pthread_key_create(&key, NULL);
    pthread_create(&first, NULL, work, &one);
    pthread_create(&second, NULL, work, &two);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
