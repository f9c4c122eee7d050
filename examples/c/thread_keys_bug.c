// The bug: the key is created after the first thread was started, so the threads race for the
// variable that holds it. The correct program is thread_keys.c.
//
// expect races: UNSAFE

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
    pthread_create(&first, NULL, work, &one);
    pthread_key_create(&key, NULL);
    pthread_create(&second, NULL, work, &two);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
