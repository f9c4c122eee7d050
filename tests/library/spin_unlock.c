// Only who has a spin lock may unlock it.
//
// expect mutex: UNSAFE
// expect -D HELD mutex: SAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_spinlock_t lock;

int main(void)
{
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
#ifdef HELD
    pthread_spin_lock(&lock);
#endif
    pthread_spin_unlock(&lock);
    return 0;
}
