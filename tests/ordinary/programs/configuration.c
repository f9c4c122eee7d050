/* Configuration file with reload on SIGHUP by sigwait. */
#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <syslog.h>
#include <unistd.h>
struct config { char *host; int port; double rate; struct { unsigned verbose : 1, daemon : 1; } flags; };
static struct config *current; static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static const char *path = "/etc/tool.conf";
static char *trim(char *s) { while (isspace((unsigned char)*s)) s++; char *e = s + strlen(s); while (e > s && isspace((unsigned char)e[-1])) *--e = 0; return s; }
static struct config *parse(const char *file)
{
    FILE *f = fopen(file, "re"); char buf[512]; int line = 0;
    struct config *c = calloc(1, sizeof *c);
    if (!f || !c) { syslog(LOG_ERR, "%s: %m", file); free(c); if (f) fclose(f); return NULL; }
    while (fgets(buf, sizeof buf, f)) {
        line++;
        char *hash = strchr(buf, '#'); if (hash) *hash = '\0';
        char *save = NULL, *k = strtok_r(buf, "=", &save), *v = strtok_r(NULL, "", &save);
        if (!k || !*trim(k)) continue;
        if (!v) { syslog(LOG_WARNING, "%s:%d: no value", file, line); continue; }
        k = trim(k); v = trim(v);
        if (!strcasecmp(k, "host")) { free(c->host); c->host = strdup(v); }
        else if (!strcasecmp(k, "port")) { char *end; errno = 0; long p = strtol(v, &end, 10); if (errno || *end || p < 0 || p > 65535) syslog(LOG_WARNING, "bad port %s", v); else c->port = (int)p; }
        else if (!strcasecmp(k, "rate")) c->rate = strtod(v, NULL);
        else if (!strcasecmp(k, "verbose")) c->flags.verbose = !strcasecmp(v, "yes");
        else syslog(LOG_WARNING, "unknown key %s", k);
    }
    if (ferror(f)) syslog(LOG_ERR, "read error");
    fclose(f);
    return c;
}
static void drop(struct config *c) { if (c) { free(c->host); free(c); } }
static void *signals(void *arg)
{
    const sigset_t *set = arg; int s;
    while (sigwait(set, &s) == 0) {
        if (s == SIGTERM) break;
        struct config *n = parse(path), *old;
        if (!n) continue;
        pthread_rwlock_wrlock(&rw); old = current; current = n; pthread_rwlock_unlock(&rw);
        drop(old);
    }
    return NULL;
}
static void *work(void *arg)
{
    for (int i = 0; i < *(int *)arg; i++) {
        char host[64]; int port;
        pthread_rwlock_rdlock(&rw);
        snprintf(host, sizeof host, "%s", current->host ? current->host : "localhost"); port = current->port;
        pthread_rwlock_unlock(&rw);
        if (port) syslog(LOG_INFO, "%s:%d", host, port);
        sleep(1);
    }
    return NULL;
}
int main(int argc, char **argv)
{
    sigset_t set; pthread_t sg, w[2]; int rounds = 2;
    if (argc == 2) path = argv[1];
    openlog(argv[0], LOG_PID | LOG_CONS, LOG_DAEMON);
    if (!(current = parse(path))) return EXIT_FAILURE;
    sigemptyset(&set); sigaddset(&set, SIGHUP); sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&sg, NULL, signals, &set);
    for (int i = 0; i < 2; i++) pthread_create(&w[i], NULL, work, &rounds);
    for (int i = 0; i < 2; i++) pthread_join(w[i], NULL);
    pthread_kill(sg, SIGTERM); pthread_join(sg, NULL);
    drop(current); closelog();
    return 0;
}
