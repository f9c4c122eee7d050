// Two threads take turns; each waits for the other's semaphore.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
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
        turn++;
        sem_post(&ping);
        sem_wait(&pong);
        assert(turn == 2 * i + 2);
    }
    pthread_join(other, NULL);
    return 0;
}
