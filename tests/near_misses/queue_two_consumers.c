// BUG: races
#include <pthread.h>
#include <stdlib.h>

struct job { int v; struct job *next; };
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;
struct job *head, **tail = &head; int stop;
static void push(int v) {
  struct job *j = malloc(sizeof *j);
  if (!j) return;
  j->v = v; j->next = 0;
  pthread_mutex_lock(&m);
  *tail = j; tail = &j->next;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
}
void *f(void *p) {
  for (;;) {
    pthread_mutex_lock(&m);
    while (!head && !stop) pthread_cond_wait(&c, &m);
    struct job *j = head;
    if (!j) { pthread_mutex_unlock(&m); return 0; }
    head = j->next;
#ifndef BUG
    if (!head) tail = &head;
#endif
    pthread_mutex_unlock(&m);
    j->v++;
    free(j);
  }
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  push(1); push(2); push(3);
  pthread_mutex_lock(&m); stop = 1; pthread_cond_broadcast(&c); pthread_mutex_unlock(&m);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
