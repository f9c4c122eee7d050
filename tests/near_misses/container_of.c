// BUG: races
#include <pthread.h>
#include <stdlib.h>

struct link { struct link *next; };
struct item { int a; struct link l; int b; };
#define item_of(p) ((struct item *)((char *)(p) - offsetof(struct item, l)))
#include <stddef.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct link *head;
static void push(struct item *i) { pthread_mutex_lock(&m); i->l.next = head; head = &i->l; pthread_mutex_unlock(&m); }
static struct item *pop(void) {
  pthread_mutex_lock(&m);
  struct link *l = head;
#ifndef BUG
  if (l) head = l->next;
#endif
  pthread_mutex_unlock(&m);
  return l ? item_of(l) : 0;
}
void *f(void *p) {
  struct item *i = malloc(sizeof *i);
  if (!i) return 0;
  i->a = i->b = 0;
  push(i);
  i = pop();
  if (i) { i->a++; i->b++; }
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
