// The bug: both wait for the other to begin. The correct program is semaphore_ping_pong.c.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: UNSAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static int turn;
static sem_t ping, pong;

static void *answer(void *unused)
{
    for (int i = 0; i < 2; i++) {
        sem_wait(&ping);
        assert(turn == 2 * i + 1);
        turn++;
        sem_post(&pong);
    }
    return NULL;
}

int main(void)
{
    pthread_t other;
    sem_init(&ping, 0, 0);
    sem_init(&pong, 0, 0);
    pthread_create(&other, NULL, answer, NULL);
    for (int i = 0; i < 2; i++) {
        sem_wait(&pong);
        turn++;
        sem_post(&ping);
    }
    pthread_join(other, NULL);
    return 0;
}
