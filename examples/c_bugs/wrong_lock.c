// A router: one field of a route is changed under the wrong lock.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct route { char prefix[20]; int metric; unsigned long hits; struct route *next; };
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t stats_lock = PTHREAD_MUTEX_INITIALIZER;
static struct route *routes;
static unsigned long lookups;
static int add(const char *prefix, int metric)
{
    struct route *r = malloc(sizeof *r);
    if (r == NULL) return -1;
    strncpy(r->prefix, prefix, sizeof r->prefix - 1);
    r->prefix[sizeof r->prefix - 1] = '\0';
    r->metric = metric;
    r->hits = 0;
    pthread_mutex_lock(&table_lock);
    r->next = routes;
    routes = r;
    pthread_mutex_unlock(&table_lock);
    return 0;
}
static int lookup(const char *prefix)
{
    int metric = -1;
    pthread_mutex_lock(&table_lock);
    for (struct route *r = routes; r != NULL; r = r->next) {
        if (strcmp(r->prefix, prefix) == 0) {
            r->hits++;
            metric = r->metric;
            break;
        }
    }
    pthread_mutex_unlock(&table_lock);
    pthread_mutex_lock(&stats_lock);
    lookups++;
    pthread_mutex_unlock(&stats_lock);
    return metric;
}
static void age(void)
{
    pthread_mutex_lock(&stats_lock);
    for (struct route *r = routes; r != NULL; r = r->next)
        r->hits /= 2;
    lookups = 0;
    pthread_mutex_unlock(&stats_lock);
}
static void *forward(void *file)
{
    char line[20];
    FILE *in = fopen(file, "r");
    if (in == NULL) return NULL;
    while (fgets(line, sizeof line, in) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (lookup(line) < 0) add(line, 10);
    }
    fclose(in);
    return NULL;
}
static void *ager(void *unused)
{
    (void)unused;
    for (int i = 0; i < 5; i++) age();
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t t[4], a;
    int n = argc - 1;
    if (n < 1 || n > 4) return 2;
    add("default", 1);
    for (int i = 0; i < n; i++)
        if (pthread_create(&t[i], NULL, forward, argv[i + 1]) != 0) return 1;
    pthread_create(&a, NULL, ager, NULL);
    for (int i = 0; i < n; i++) pthread_join(t[i], NULL);
    pthread_join(a, NULL);
    return 0;
}
