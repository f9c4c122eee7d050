// The bug: the number is squared twice. The correct program is integer_arguments.c.
//
// expect assertions: UNSAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static void *square(void *argument)
{
    intptr_t number = (intptr_t)argument;
    number *= number;
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
