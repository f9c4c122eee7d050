/* Numbers that differ are equal as characters. */
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int cells[300];
void *work(void *p) { unsigned char i = (unsigned char)(long)p; cells[i] = 1; return 0; }
int main(void) {
    int n = __VERIFIER_nondet_int();
    pthread_t t;
    for (int i = 0; i < n; i++) pthread_create(&t, 0, work, (void *)(long)i);
}
