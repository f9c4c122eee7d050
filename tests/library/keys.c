// Keys are different, values are NULL at first, and each thread has its own.
//
// expect assertions: SAFE
// expect races: SAFE
// expect -D DESTRUCTOR assertions: UNKNOWN

#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_key_t first, second;
static int one, two;

static void *work(void *value)
{
    assert(pthread_getspecific(first) == NULL);
    assert(pthread_setspecific(first, value) == 0);
    assert(pthread_getspecific(first) == value);
    assert(pthread_getspecific(second) == NULL);
    return NULL;
}

static void destroy(void *unused) { }

int main(void)
{
    pthread_t thread;
    assert(pthread_key_create(&first, NULL) == 0);
    assert(pthread_key_create(&second, NULL) == 0);
    assert(first != second);
    pthread_create(&thread, NULL, work, &one);
    work(&two);
    pthread_join(thread, NULL);
    assert(pthread_getspecific(first) == &two);
    assert(pthread_key_delete(second) == 0);
#ifdef DESTRUCTOR
    pthread_key_create(&second, destroy);
#endif
    (void)destroy;
    return 0;
}
