// BUG: races
// Main reads a number into a member of a record while a thread uses the others, or reads all of it.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct settings { int first; unsigned short count; int last; };
static struct settings *settings;

static void *use(void *p) { return settings->first + settings->last ? p : NULL; }

int main(void) {
    pthread_t t;
    settings = calloc(1, sizeof *settings);
    if (!settings) return 1;
    if (pthread_create(&t, NULL, use, NULL)) return 1;
#ifdef BUG
    long done = read(0, settings, sizeof *settings);
#else
    long done = read(0, &settings->count, sizeof settings->count);
#endif
    pthread_join(t, NULL);
    return done > 0 ? settings->count : 0;
}
