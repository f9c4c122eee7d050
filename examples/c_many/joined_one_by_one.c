// Each thread ends before the next is created.
//
// expect assertions: SAFE
// expect races: SAFE

#include <assert.h>
#include <pthread.h>

static int x;

static void *work(void *argument)
{
    x = 1;
    assert(x == 1);
    x = 0;
    return NULL;
}

int main(void)
{
    for (int i = 0; i < 10000; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
        pthread_join(thread, NULL);
        assert(x == 0);
    }
    return 0;
}
