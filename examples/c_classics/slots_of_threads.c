// Each thread has a slot of an array of structs, whose pointer it is given; with BUG each also looks at its neighbour.
//
// expect races: SAFE
// expect -D BUG races: UNSAFE

#include <pthread.h>

#define N 6
struct slot {
    int id;
    long sum;
    long count;
};
static struct slot slots[N];

static void *worker(void *argument)
{
    struct slot *mine = argument;
    for (int i = 0; i < 10; i++) {
        mine->sum += i;
        mine->count++;
    }
#ifdef BUG
    long other = slots[(mine->id + 1) % N].count;
    mine->sum += other;
#endif
    return NULL;
}

int main(void)
{
    pthread_t t[N];
    for (int i = 0; i < N; i++) {
        slots[i].id = i;
        pthread_create(&t[i], NULL, worker, &slots[i]);
    }
    long total = 0;
    for (int i = 0; i < N; i++) {
        pthread_join(t[i], NULL);
        total += slots[i].sum;
    }
    return (int)total;
}
