#include <pthread.h>
#include <stdlib.h>
struct device { int state; char *name; struct device *parent; };
extern int elsewhere;
extern struct device *find_device(int number);
extern int measure(void);
extern void note(struct device *seen, int *count);
extern void say(const char *text);
extern double ratio(int);
extern void __attribute__((noreturn)) stop_now(void);
int count;
static int callback(struct device *d) { return d->state; }
extern struct device same_as(struct device);
extern void touch(long address, struct device by_value);
extern void create_worker(int *);
extern void hold(pthread_mutex_t *);
pthread_mutex_t lock;
extern void install(int (*handler)(struct device *));

int main(void)
{
    struct device own = { 1, "own", 0 };
    struct device *found = find_device(measure());
    if (found && found->parent)
        note(found->parent, &count);
    note(&own, 0);
    say(own.name);
    if (ratio(3) > 1.0)
        stop_now();
    __asm__("nop");
    elsewhere = own.state + getenv("HOME")[0];
    struct device other = same_as(own);
    touch((long)&other, own);
    if (count > 3)
        install(callback);
    if (count > 4)
        create_worker(&count);
    if (count > 5)
        hold(&lock);
    if (count > 6)
        elsewhere = __builtin_unheard_of(3);
    return count + rand();
}
