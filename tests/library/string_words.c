// Words of a string. strtok keeps its place in a variable that all threads share.
//
// expect assertions: SAFE
// expect -D RACE races: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char mine[4] = "a b", other[4] = "c d", both[8] = " xy,z";

static void *work(void *text)
{
    strtok(text, " ");
    return NULL;
}

int main(void)
{
    char *state;
    assert(strcmp(strtok_r(both, " ,", &state), "xy") == 0);
    assert(strcmp(strtok_r(NULL, " ,", &state), "z") == 0);
    assert(strtok_r(NULL, " ,", &state) == NULL);
    assert(strcmp(strtok(mine, " "), "a") == 0);
    assert(strcmp(strtok(NULL, " "), "b") == 0);
    assert(strtok(NULL, " ") == NULL);
#ifdef RACE
    pthread_t thread;
    pthread_create(&thread, NULL, work, other);
    strtok(mine, " ");
    pthread_join(thread, NULL);
#endif
    (void)work;
    return 0;
}
