// Any number is read, and a hash of it decides.
#include <assert.h>
#include <pthread.h>
extern unsigned __VERIFIER_nondet_uint(void);
unsigned key, hash;
void *work(void *arg) {
    unsigned h = key; 
    for (int i = 0; i < 4; i++)
        h = (h ^ (h >> 15)) * 2246822519u;
    hash = h;
    return arg;
}
int main(void) {
    key = __VERIFIER_nondet_uint(); // blocker
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    assert(hash != 0x1234567u || key == 0);
    return 0;
}
