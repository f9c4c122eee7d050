// A number is passed as the argument itself, and comes back as the result.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static void *square(void *argument)
{
    intptr_t number = (intptr_t)argument;
    return (void *)(number * number);
}

int main(void)
{
    pthread_t threads[2];
    intptr_t sum = 0;
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, square, (void *)(i + 2));
    for (int i = 0; i < 2; i++) {
        void *result;
        pthread_join(threads[i], &result);
        sum += (intptr_t)result;
    }
    assert(sum == 13);
    return 0;
}
