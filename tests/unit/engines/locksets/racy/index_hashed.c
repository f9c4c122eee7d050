/* Each element has one lock of several: two keys of one element may have different locks. */
#include <pthread.h>
pthread_mutex_t locks[4];
int data[2];
unsigned keys[2];
extern unsigned __VERIFIER_nondet_uint(void);
void *work(void *p)
{
    unsigned h = *(unsigned *)p;
    unsigned l = h % 4, d = h % 2;
    pthread_mutex_lock(&locks[l]);
    data[d]++;
    pthread_mutex_unlock(&locks[l]);
    return 0;
}
int main(void)
{
    pthread_t a, b;
    for (int i = 0; i < 4; i++)
        pthread_mutex_init(&locks[i], 0);
    keys[0] = __VERIFIER_nondet_uint();
    keys[1] = __VERIFIER_nondet_uint();
    pthread_create(&a, 0, work, &keys[0]);
    pthread_create(&b, 0, work, &keys[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
