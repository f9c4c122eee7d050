/* Two members of a union are the same memory. */
#include <pthread.h>
union value { int number; char text[4]; };
struct slot { int kind; union value value; };
struct slot slot;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *work(void *unused)
{
    pthread_mutex_lock(&m);
    slot.value.number = 1;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    pthread_t a;
    slot.value.text[0] = 'x';
    pthread_create(&a, 0, work, 0);
    char c = slot.value.text[0];
    pthread_join(a, 0);
    return c;
}
