// Threads have ranges that do not overlap; with RACY: that overlap by one element.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
#define N 64
#define THREADS 4
static double in[N], out[N];
struct range { int from, to; };
static void *scale(void *arg)
{
    struct range *r = arg;
#ifdef RACY
    for (int i = r->from; i <= r->to && i < N; i++)
#else
    for (int i = r->from; i < r->to; i++)
#endif
        out[i] = in[i] * 2;
    return NULL;
}
int main(void)
{
    pthread_t t[THREADS];
    struct range r[THREADS];
    for (int i = 0; i < N; i++)
        in[i] = i;
    for (int i = 0; i < THREADS; i++) {
        r[i].from = i * (N / THREADS);
        r[i].to = (i + 1) * (N / THREADS);
        pthread_create(&t[i], NULL, scale, &r[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return out[1] > 0;
}
