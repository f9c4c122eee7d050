#include <pthread.h>
#include <stddef.h>
struct inner { short a; int *p; };
struct all { struct inner in[2]; char name[6]; const char *text; long (*run)(int); union { int i; float f; } u; };
struct open { int count; int items[]; };
static int values[4] = { [1] = 5, 6 };
static long twice(int n) { return 2L * n; }
static struct all whole = {
    { { 1, &values[2] }, { .p = values + 3 } }, "name", "text" + 1, twice, { .f = 0 }
};
static struct inner copied = (struct inner){ 7, &values[0] };
static int *end = &values[0] + 4, *none = NULL, *device = (int *)0x1000;
static struct open flexible = { 3 };
static void *self = &self;
static char letters[3] = "abc", more[] = "x" "yz";
static size_t measured = sizeof whole / 2 + offsetof(struct all, name);
static _Bool truth = 5;
static unsigned char wraps = 258;
static int negative = -(1 << 4) % 7, chosen = 1 ? 2 : 3 / 0;
static double number = 1.5 * 2 - 1;
_Thread_local int own = 4, counted[2] = { 1, 2 };
static const int table[2][2] = { { 1, 2 }, { 3 } };
static pthread_mutex_t locks[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
extern int late;
int late = 9;

static void *work(void *given)
{
    int *mine = &own;
    *mine += counted[1];
    pthread_mutex_lock(&locks[(long)given & 1]);
    whole.in[0].p[-1] = late;
    pthread_mutex_unlock(&locks[(long)given & 1]);
    return self;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, (void *)1);
    static int local = 3, *kept = &local;
    int sum = *kept + copied.a + *copied.p + whole.name[1] + whole.text[0] + flexible.count;
    sum += letters[2] + more[3] + (int)measured + truth + wraps + negative + chosen + table[1][0];
    if (number > 1.75 && end != none && device)
        sum += (int)whole.run(own);
    pthread_join(t, 0);
    return sum + whole.u.i;
}
