/* du: directory walker with work stealing counters. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
struct dir { char path[PATH_MAX]; struct dir *next; };
static struct dir *stack; static int pending;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t cv = PTHREAD_COND_INITIALIZER;
static unsigned long long total; static unsigned long n_files;
static void push(const char *path)
{
    struct dir *d = malloc(sizeof *d);
    if (d == NULL) { fputs("out of memory\n", stderr); exit(1); }
    if (snprintf(d->path, sizeof d->path, "%s", path) >= (int)sizeof d->path) { free(d); return; }
    pthread_mutex_lock(&m);
    d->next = stack; stack = d; pending++;
    pthread_cond_signal(&cv);
    pthread_mutex_unlock(&m);
}
static void scan(const char *path)
{
    DIR *d = opendir(path);
    struct dirent *e;
    if (!d) { fprintf(stderr, "%s: %s\n", path, strerror(errno)); return; }
    while (errno = 0, (e = readdir(d)) != NULL) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        char full[PATH_MAX];
        int n = snprintf(full, sizeof full, "%s/%s", path, e->d_name);
        if (n < 0 || n >= (int)sizeof full) continue;
        struct stat sb;
        if (lstat(full, &sb) < 0) continue;
        if (S_ISDIR(sb.st_mode)) push(full);
        else if (S_ISREG(sb.st_mode)) { pthread_mutex_lock(&m); total += (unsigned long long)sb.st_blocks * 512; n_files++; pthread_mutex_unlock(&m); }
    }
    closedir(d);
}
static void *walker(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&m);
        while (!stack && pending) pthread_cond_wait(&cv, &m);
        struct dir *d = stack;
        if (d) stack = d->next;
        pthread_mutex_unlock(&m);
        if (!d) break;
        scan(d->path);
        free(d);
        pthread_mutex_lock(&m); if (--pending == 0) pthread_cond_broadcast(&cv); pthread_mutex_unlock(&m);
    }
    return unused;
}
int main(int argc, char *argv[])
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    if (n < 1) n = 1; if (n > 4) n = 4;
    pthread_t t[4];
    for (int i = 1; i < argc; i++) push(argv[i]);
    if (argc == 1) { char cwd[PATH_MAX]; push(getcwd(cwd, sizeof cwd) ? cwd : "."); }
    for (long i = 0; i < n; i++) pthread_create(&t[i], NULL, walker, NULL);
    for (long i = 0; i < n; i++) pthread_join(t[i], NULL);
    printf("%llu bytes in %lu files\n", total, n_files);
    return 0;
}
