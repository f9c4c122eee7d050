// BUG: races
#include <pthread.h>
#include <stdlib.h>

struct node { int key, val; struct node *next; };
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct node *head;
static struct node *find(int key) {
  struct node *n;
  for (n = head; n; n = n->next)
    if (n->key == key) return n;
  return 0;
}
static void add(int key) {
  struct node *n = malloc(sizeof *n);
  if (!n) return;
  n->key = key; n->val = 0;
  pthread_mutex_lock(&m);
  n->next = head; head = n;
  pthread_mutex_unlock(&m);
}
static void del(int key) {
  pthread_mutex_lock(&m);
  struct node **pp = &head, *n;
  while ((n = *pp) && n->key != key) pp = &n->next;
  if (n) *pp = n->next;
  pthread_mutex_unlock(&m);
  free(n);
}
void *f(void *arg) {
  add(1);
  del(1);
  return 0;
}
void *g(void *arg) {
  pthread_mutex_lock(&m);
  struct node *n = find(1);
#ifndef BUG
  if (n) n->val = 3;
#endif
  pthread_mutex_unlock(&m);
#ifdef BUG
  if (n) n->val = 3;
#endif
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  return 0;
}
