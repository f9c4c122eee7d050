// Words of a string. strtok keeps its place in a variable that all threads share.
//
// expect assertions: SAFE
// expect -D RACE races: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char mine[4] = "a b", other[4] = "c d", both[6] = " xy,z";

static void *work(void *text)
{
    strtok(text, " ");
    return NULL;
}

int main(void)
{
    char *state;
    char *word = strtok_r(both, " ,", &state);
    assert(word == both + 1 && word[2] == 0);
    assert(strtok_r(NULL, " ,", &state) == both + 4);
    assert(strtok_r(NULL, " ,", &state) == NULL);
    assert(strtok(mine, " ") == mine && mine[1] == 0);
    assert(strtok(NULL, " ") == mine + 2);
#ifdef RACE
    pthread_t thread;
    pthread_create(&thread, NULL, work, other);
    strtok(mine, " ");
    pthread_join(thread, NULL);
#endif
    (void)work;
    return 0;
}
