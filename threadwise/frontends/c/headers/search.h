#ifndef __TW_SEARCH_H
#define __TW_SEARCH_H
#include <stddef.h>
struct qelem { struct qelem *q_forw; struct qelem *q_back; char q_data[1]; };
typedef enum { FIND, ENTER } ACTION;
struct entry { char *key; void *data; };
typedef struct entry ENTRY;
struct hsearch_data { struct _ENTRY *table; unsigned int size; unsigned int filled; };
typedef enum { preorder, postorder, endorder, leaf } VISIT;
void insque(void *, void *);
void remque(void *);
ENTRY *hsearch(ENTRY, ACTION);
int hcreate(size_t);
void hdestroy(void);
int hsearch_r(ENTRY, ACTION, ENTRY **, struct hsearch_data *);
int hcreate_r(size_t, struct hsearch_data *);
void hdestroy_r(struct hsearch_data *);
void *tsearch(const void *, void **, int (*)(const void *, const void *));
void *tfind(const void *, void *const *, int (*)(const void *, const void *));
void *tdelete(const void *restrict, void **restrict, int (*)(const void *, const void *));
void twalk(const void *, void (*)(const void *, VISIT, int));
void twalk_r(const void *, void (*)(const void *, VISIT, void *), void *);
void tdestroy(void *, void (*)(void *));
void *lfind(const void *, const void *, size_t *, size_t, int (*)(const void *, const void *));
void *lsearch(const void *, void *, size_t *, size_t, int (*)(const void *, const void *));
#endif
