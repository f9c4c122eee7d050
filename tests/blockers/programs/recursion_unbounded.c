// A recursion without end that changes what threads share.
#include <assert.h>
#include <pthread.h>
_Atomic unsigned depth;
void down(void) {
    depth++;
    if (depth != 0)
        down(); // blocker
    depth--;
}
void *work(void *arg) { down(); return arg; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    down();
    pthread_join(t, 0);
    assert(depth == 0);
    return 0;
}
