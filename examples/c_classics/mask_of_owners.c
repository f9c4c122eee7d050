// Threads claim cells by a bit mask with compare-and-swap; with BUG the bit is set by a plain load and store.
//
// expect races: SAFE
// expect -D BUG races: UNSAFE

#include <pthread.h>
#include <stdatomic.h>

#define CELLS 4
static atomic_uint taken;
static int cells[CELLS];

static int claim(int i)
{
    unsigned bit = 1u << i;
    unsigned old = atomic_load(&taken);
    for (;;) {
        if (old & bit)
            return 0;
#ifdef BUG
        atomic_store(&taken, old | bit);
        return 1;
#else
        if (atomic_compare_exchange_strong(&taken, &old, old | bit))
            return 1;
#endif
    }
}

static void drop(int i)
{
    atomic_fetch_and(&taken, ~(1u << i));
}

static void *worker(void *argument)
{
    for (int i = 0; i < CELLS; i++)
        if (claim(i)) {
            cells[i]++;
            drop(i);
        }
    return argument;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return cells[0];
}
