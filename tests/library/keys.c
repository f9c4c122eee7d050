// Keys are different, values are NULL at first, and each thread has its own. Where a thread ends,
// destructors get its values, unless these are NULL or the key was deleted; what they set is destroyed
// in a next round, and there are four. Keys behind the 16th are no different.
// __library_destroy_values
//
// expect assertions: SAFE
// expect races: SAFE
// expect -D DESTRUCTOR assertions: SAFE
// expect -D DESTRUCTOR races: SAFE
// expect -D DESTRUCTOR -D EXIT assertions: SAFE
// expect -D DESTRUCTOR -D DELETED assertions: UNSAFE
// expect -D DESTRUCTOR -D SET_AGAIN -D ROUNDS=4 assertions: SAFE
// expect -D DESTRUCTOR -D SET_AGAIN assertions: UNSAFE
// expect -D DESTRUCTOR -D MANY assertions: SAFE
// expect -D DESTRUCTOR -D MANY races: SAFE
// expect -D DESTRUCTOR -D MANY -D DELETED assertions: UNSAFE
// expect -D DESTRUCTOR -D MANY -D SET_AGAIN -D ROUNDS=4 assertions: SAFE

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

#ifndef ROUNDS
#define ROUNDS 1
#endif

#ifdef DESTRUCTOR
static pthread_key_t third;
static int destroyed;

static void destroy(void *value)
{
    assert(pthread_getspecific(third) == NULL);
    destroyed += *(int *)value;
#ifdef SET_AGAIN
    pthread_setspecific(third, value);
#endif
}

static void *leave(void *value)
{
    pthread_setspecific(third, value);
#ifdef EXIT
    pthread_exit(NULL);
#endif
    return NULL;
}

static void *leave_nothing(void *value)
{
    return value;
}
#endif

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
    one = 3;
#ifdef MANY
    pthread_key_t others[15];
    for (int i = 0; i < 15; i++)
        assert(pthread_key_create(&others[i], destroy) == 0);
    pthread_setspecific(others[14], &two);
    assert(pthread_getspecific(others[14]) == &two && pthread_getspecific(others[13]) == NULL);
#endif
    pthread_key_create(&third, destroy);
#ifdef DELETED
    pthread_key_delete(third);
#endif
    pthread_create(&thread, NULL, leave, &one);
    pthread_join(thread, NULL);
    assert(destroyed == 3 * ROUNDS);
    pthread_create(&thread, NULL, leave_nothing, &one);
    pthread_join(thread, NULL);
    assert(destroyed == 3 * ROUNDS);
#endif
    return 0;
}
