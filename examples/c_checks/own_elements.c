// Each thread has an element of its own; with RACY: all write to the first one, too.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
#define N 5
struct slot { int id; long sum; };
static struct slot slots[N];
static void *worker(void *arg)
{
    struct slot *s = arg;
    for (int i = 0; i < 1000; i++)
        s->sum += i * s->id;
#ifdef RACY
    slots[0].sum++;
#endif
    return NULL;
}
int main(void)
{
    pthread_t t[N];
    long all = 0;
    for (int i = 0; i < N; i++) {
        slots[i].id = i;
        pthread_create(&t[i], NULL, worker, &slots[i]);
    }
    for (int i = 0; i < N; i++) {
        pthread_join(t[i], NULL);
        all += slots[i].sum;
    }
    return all > 0;
}
