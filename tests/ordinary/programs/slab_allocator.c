/* Slab allocator with free lists through the objects, double checked creation, C11 threads. */
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
union slot { union slot *next; max_align_t align; unsigned char bytes[48]; };
struct slab { struct slab *next; unsigned used; union slot slots[8]; };
static struct { mtx_t m; struct slab *slabs; union slot *free; unsigned out; } cache; static once_flag flag = ONCE_FLAG_INIT; static atomic_size_t peak;
static void init(void) { if (mtx_init(&cache.m, mtx_plain) != thrd_success) abort(); }
static void *slab_alloc(void)
{
    call_once(&flag, init);
    mtx_lock(&cache.m);
    if (!cache.free) {
        struct slab *s = aligned_alloc(alignof(max_align_t), sizeof *s);
        if (!s) { mtx_unlock(&cache.m); return NULL; }
        s->next = cache.slabs; cache.slabs = s; s->used = 0;
        for (int i = 0; i < 8; i++) { s->slots[i].next = cache.free; cache.free = &s->slots[i]; }
    }
    union slot *p = cache.free; cache.free = p->next; cache.out++;
    size_t o = cache.out, old = atomic_load_explicit(&peak, memory_order_relaxed);
    while (o > old && !atomic_compare_exchange_weak(&peak, &old, o)) ;
    mtx_unlock(&cache.m);
    return p;
}
static void slab_free(void *q) { union slot *p = q; mtx_lock(&cache.m); p->next = cache.free; cache.free = p; cache.out--; mtx_unlock(&cache.m); }
static int work(void *arg)
{
    void *p[3]; (void)arg;
    for (int i = 0; i < 3; i++) { if (!(p[i] = slab_alloc())) thrd_exit(1); memset(p[i], i, 16); }
    for (int i = 0; i < 3; i++) slab_free(p[i]);
    thrd_yield();
    return 0;
}
int main(void)
{
    thrd_t t[2]; int rc[2];
    for (int i = 0; i < 2; i++) if (thrd_create(&t[i], work, NULL) != thrd_success) return 1;
    for (int i = 0; i < 2; i++) thrd_join(t[i], &rc[i]);
    while (cache.slabs) { struct slab *s = cache.slabs; cache.slabs = s->next; free(s); }
    mtx_destroy(&cache.m);
    printf("%zu\n", (size_t)peak);
    return rc[0] | rc[1];
}
