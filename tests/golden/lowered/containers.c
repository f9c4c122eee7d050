#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#define container_of(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))
struct list { struct list *next, *prev; };
struct item { int key; char tag; struct list node; struct { long deep; struct list inner; } in; };
struct front { struct list node; int key; };
struct list head = { &head, &head }, other;
struct item first;

int sum(struct list *from)
{
    int all = 0;
    for (struct list *at = from->next; at != from; at = at->next)
        all += container_of(at, struct item, node)->key;
    return all;
}

int main(void)
{
    struct item *fresh = malloc(sizeof *fresh);
    if (!fresh)
        return 1;
    fresh->node.next = &head;
    head.next = &fresh->node;
    struct list *inner = &fresh->in.inner;
    struct item *back = container_of(inner, struct item, in.inner);
    struct item *same = container_of(&back->node, struct item, node);
    struct front *plain = container_of(other.next, struct front, node);
    long *deep = &first.in.deep;
    struct item *whole = (struct item *)((unsigned long)deep - (unsigned long)&((struct item *)0)->in.deep);
    void *any = head.next;
    struct item *found = (struct item *)((void *)any - offsetof(struct item, node));
    char *tag = &first.tag;
    struct item *tagged = container_of(tag, struct item, tag);
    return sum(&head) + (plain != 0) + (whole == &first) + same->key + found->key + tagged->key;
}
