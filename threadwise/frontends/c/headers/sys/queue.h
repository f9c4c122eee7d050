/* Lists and queues of structures that contain their links: singly linked (SLIST, STAILQ, SIMPLEQ)
   and doubly linked (LIST, TAILQ). A previous-link of LIST and TAILQ is
   the address of the pointer that leads to the element. */
#ifndef __TW_SYS_QUEUE_H
#define __TW_SYS_QUEUE_H

#define __tw_once(statements) do { statements } while (0)

/* Singly linked lists. */
#define SLIST_HEAD(name, type) struct name { struct type *slh_first; }
#define SLIST_HEAD_INITIALIZER(head) { (void *)0 }
#define SLIST_ENTRY(type) struct { struct type *sle_next; }
#define SLIST_FIRST(head) ((head)->slh_first)
#define SLIST_EMPTY(head) (SLIST_FIRST(head) == (void *)0)
#define SLIST_NEXT(element, link) ((element)->link.sle_next)
#define SLIST_INIT(head) __tw_once(SLIST_FIRST(head) = (void *)0;)
#define SLIST_INSERT_HEAD(head, element, link) \
    __tw_once(SLIST_NEXT(element, link) = SLIST_FIRST(head); SLIST_FIRST(head) = (element);)
#define SLIST_INSERT_AFTER(before, element, link) \
    __tw_once(SLIST_NEXT(element, link) = SLIST_NEXT(before, link); \
              SLIST_NEXT(before, link) = (element);)
#define SLIST_REMOVE_HEAD(head, link) \
    __tw_once(SLIST_FIRST(head) = SLIST_NEXT(SLIST_FIRST(head), link);)
#define SLIST_REMOVE_AFTER(before, link) \
    __tw_once(SLIST_NEXT(before, link) = SLIST_NEXT(SLIST_NEXT(before, link), link);)
#define SLIST_REMOVE(head, element, type, link) \
    __tw_once(if (SLIST_FIRST(head) == (element)) SLIST_REMOVE_HEAD(head, link); \
              else { \
                  struct type *__before = SLIST_FIRST(head); \
                  while (SLIST_NEXT(__before, link) != (element)) \
                      __before = SLIST_NEXT(__before, link); \
                  SLIST_REMOVE_AFTER(__before, link); \
              })
#define SLIST_FOREACH(at, head, link) \
    for ((at) = SLIST_FIRST(head); (at); (at) = SLIST_NEXT(at, link))
#define SLIST_FOREACH_SAFE(at, head, link, next) \
    for ((at) = SLIST_FIRST(head); (at) && ((next) = SLIST_NEXT(at, link), 1); (at) = (next))

/* Singly linked queues. */
#define STAILQ_HEAD(name, type) struct name { struct type *stqh_first; struct type **stqh_last; }
#define STAILQ_HEAD_INITIALIZER(head) { (void *)0, &(head).stqh_first }
#define STAILQ_ENTRY(type) struct { struct type *stqe_next; }
#define STAILQ_FIRST(head) ((head)->stqh_first)
#define STAILQ_EMPTY(head) (STAILQ_FIRST(head) == (void *)0)
#define STAILQ_NEXT(element, link) ((element)->link.stqe_next)
#define STAILQ_INIT(head) \
    __tw_once(STAILQ_FIRST(head) = (void *)0; (head)->stqh_last = &STAILQ_FIRST(head);)
#define STAILQ_INSERT_HEAD(head, element, link) \
    __tw_once(if ((STAILQ_NEXT(element, link) = STAILQ_FIRST(head)) == (void *)0) \
                  (head)->stqh_last = &STAILQ_NEXT(element, link); \
              STAILQ_FIRST(head) = (element);)
#define STAILQ_INSERT_TAIL(head, element, link) \
    __tw_once(STAILQ_NEXT(element, link) = (void *)0; *(head)->stqh_last = (element); \
              (head)->stqh_last = &STAILQ_NEXT(element, link);)
#define STAILQ_INSERT_AFTER(head, before, element, link) \
    __tw_once(if ((STAILQ_NEXT(element, link) = STAILQ_NEXT(before, link)) == (void *)0) \
                  (head)->stqh_last = &STAILQ_NEXT(element, link); \
              STAILQ_NEXT(before, link) = (element);)
#define STAILQ_REMOVE_HEAD(head, link) \
    __tw_once(if ((STAILQ_FIRST(head) = STAILQ_NEXT(STAILQ_FIRST(head), link)) == (void *)0) \
                  (head)->stqh_last = &STAILQ_FIRST(head);)
#define STAILQ_REMOVE_AFTER(head, before, link) \
    __tw_once(if ((STAILQ_NEXT(before, link) = STAILQ_NEXT(STAILQ_NEXT(before, link), link)) \
                  == (void *)0) \
                  (head)->stqh_last = &STAILQ_NEXT(before, link);)
#define STAILQ_REMOVE(head, element, type, link) \
    __tw_once(if (STAILQ_FIRST(head) == (element)) STAILQ_REMOVE_HEAD(head, link); \
              else { \
                  struct type *__before = STAILQ_FIRST(head); \
                  while (STAILQ_NEXT(__before, link) != (element)) \
                      __before = STAILQ_NEXT(__before, link); \
                  STAILQ_REMOVE_AFTER(head, __before, link); \
              })
#define STAILQ_CONCAT(head, other) \
    __tw_once(if (!STAILQ_EMPTY(other)) { \
        *(head)->stqh_last = STAILQ_FIRST(other); \
        (head)->stqh_last = (other)->stqh_last; \
        STAILQ_INIT(other); \
    })
#define STAILQ_LAST(head, type, link) \
    (STAILQ_EMPTY(head) \
         ? (struct type *)0 \
         : (struct type *)((char *)(head)->stqh_last - __builtin_offsetof(struct type, link)))
#define STAILQ_FOREACH(at, head, link) \
    for ((at) = STAILQ_FIRST(head); (at); (at) = STAILQ_NEXT(at, link))
#define STAILQ_FOREACH_SAFE(at, head, link, next) \
    for ((at) = STAILQ_FIRST(head); (at) && ((next) = STAILQ_NEXT(at, link), 1); (at) = (next))

#define SIMPLEQ_HEAD(name, type) struct name { struct type *sqh_first; struct type **sqh_last; }
#define SIMPLEQ_HEAD_INITIALIZER(head) { (void *)0, &(head).sqh_first }
#define SIMPLEQ_ENTRY(type) struct { struct type *sqe_next; }
#define SIMPLEQ_FIRST(head) ((head)->sqh_first)
#define SIMPLEQ_EMPTY(head) (SIMPLEQ_FIRST(head) == (void *)0)
#define SIMPLEQ_NEXT(element, link) ((element)->link.sqe_next)
#define SIMPLEQ_INIT(head) \
    __tw_once(SIMPLEQ_FIRST(head) = (void *)0; (head)->sqh_last = &SIMPLEQ_FIRST(head);)
#define SIMPLEQ_INSERT_HEAD(head, element, link) \
    __tw_once(if ((SIMPLEQ_NEXT(element, link) = SIMPLEQ_FIRST(head)) == (void *)0) \
                  (head)->sqh_last = &SIMPLEQ_NEXT(element, link); \
              SIMPLEQ_FIRST(head) = (element);)
#define SIMPLEQ_INSERT_TAIL(head, element, link) \
    __tw_once(SIMPLEQ_NEXT(element, link) = (void *)0; *(head)->sqh_last = (element); \
              (head)->sqh_last = &SIMPLEQ_NEXT(element, link);)
#define SIMPLEQ_INSERT_AFTER(head, before, element, link) \
    __tw_once(if ((SIMPLEQ_NEXT(element, link) = SIMPLEQ_NEXT(before, link)) == (void *)0) \
                  (head)->sqh_last = &SIMPLEQ_NEXT(element, link); \
              SIMPLEQ_NEXT(before, link) = (element);)
#define SIMPLEQ_REMOVE_HEAD(head, link) \
    __tw_once(if ((SIMPLEQ_FIRST(head) = SIMPLEQ_NEXT(SIMPLEQ_FIRST(head), link)) == (void *)0) \
                  (head)->sqh_last = &SIMPLEQ_FIRST(head);)
#define SIMPLEQ_FOREACH(at, head, link) \
    for ((at) = SIMPLEQ_FIRST(head); (at); (at) = SIMPLEQ_NEXT(at, link))

/* Doubly linked lists. */
#define LIST_HEAD(name, type) struct name { struct type *lh_first; }
#define LIST_HEAD_INITIALIZER(head) { (void *)0 }
#define LIST_ENTRY(type) struct { struct type *le_next; struct type **le_prev; }
#define LIST_FIRST(head) ((head)->lh_first)
#define LIST_EMPTY(head) (LIST_FIRST(head) == (void *)0)
#define LIST_NEXT(element, link) ((element)->link.le_next)
#define LIST_INIT(head) __tw_once(LIST_FIRST(head) = (void *)0;)
#define LIST_INSERT_HEAD(head, element, link) \
    __tw_once(if ((LIST_NEXT(element, link) = LIST_FIRST(head)) != (void *)0) \
                  LIST_FIRST(head)->link.le_prev = &LIST_NEXT(element, link); \
              LIST_FIRST(head) = (element); (element)->link.le_prev = &LIST_FIRST(head);)
#define LIST_INSERT_AFTER(before, element, link) \
    __tw_once(if ((LIST_NEXT(element, link) = LIST_NEXT(before, link)) != (void *)0) \
                  LIST_NEXT(before, link)->link.le_prev = &LIST_NEXT(element, link); \
              LIST_NEXT(before, link) = (element); \
              (element)->link.le_prev = &LIST_NEXT(before, link);)
#define LIST_INSERT_BEFORE(behind, element, link) \
    __tw_once((element)->link.le_prev = (behind)->link.le_prev; \
              LIST_NEXT(element, link) = (behind); *(behind)->link.le_prev = (element); \
              (behind)->link.le_prev = &LIST_NEXT(element, link);)
#define LIST_REMOVE(element, link) \
    __tw_once(if (LIST_NEXT(element, link) != (void *)0) \
                  LIST_NEXT(element, link)->link.le_prev = (element)->link.le_prev; \
              *(element)->link.le_prev = LIST_NEXT(element, link);)
#define LIST_FOREACH(at, head, link) \
    for ((at) = LIST_FIRST(head); (at); (at) = LIST_NEXT(at, link))
#define LIST_FOREACH_SAFE(at, head, link, next) \
    for ((at) = LIST_FIRST(head); (at) && ((next) = LIST_NEXT(at, link), 1); (at) = (next))

/* Doubly linked queues. */
#define TAILQ_HEAD(name, type) struct name { struct type *tqh_first; struct type **tqh_last; }
#define TAILQ_HEAD_INITIALIZER(head) { (void *)0, &(head).tqh_first }
#define TAILQ_ENTRY(type) struct { struct type *tqe_next; struct type **tqe_prev; }
#define TAILQ_FIRST(head) ((head)->tqh_first)
#define TAILQ_END(head) ((void *)0)
#define TAILQ_EMPTY(head) (TAILQ_FIRST(head) == (void *)0)
#define TAILQ_NEXT(element, link) ((element)->link.tqe_next)
#define TAILQ_LAST(head, name) (*(((struct name *)((head)->tqh_last))->tqh_last))
#define TAILQ_PREV(element, name, link) (*(((struct name *)((element)->link.tqe_prev))->tqh_last))
#define TAILQ_INIT(head) \
    __tw_once(TAILQ_FIRST(head) = (void *)0; (head)->tqh_last = &TAILQ_FIRST(head);)
#define TAILQ_INSERT_HEAD(head, element, link) \
    __tw_once(if ((TAILQ_NEXT(element, link) = TAILQ_FIRST(head)) != (void *)0) \
                  TAILQ_FIRST(head)->link.tqe_prev = &TAILQ_NEXT(element, link); \
              else (head)->tqh_last = &TAILQ_NEXT(element, link); \
              TAILQ_FIRST(head) = (element); (element)->link.tqe_prev = &TAILQ_FIRST(head);)
#define TAILQ_INSERT_TAIL(head, element, link) \
    __tw_once(TAILQ_NEXT(element, link) = (void *)0; \
              (element)->link.tqe_prev = (head)->tqh_last; *(head)->tqh_last = (element); \
              (head)->tqh_last = &TAILQ_NEXT(element, link);)
#define TAILQ_INSERT_AFTER(head, before, element, link) \
    __tw_once(if ((TAILQ_NEXT(element, link) = TAILQ_NEXT(before, link)) != (void *)0) \
                  TAILQ_NEXT(element, link)->link.tqe_prev = &TAILQ_NEXT(element, link); \
              else (head)->tqh_last = &TAILQ_NEXT(element, link); \
              TAILQ_NEXT(before, link) = (element); \
              (element)->link.tqe_prev = &TAILQ_NEXT(before, link);)
#define TAILQ_INSERT_BEFORE(behind, element, link) \
    __tw_once((element)->link.tqe_prev = (behind)->link.tqe_prev; \
              TAILQ_NEXT(element, link) = (behind); *(behind)->link.tqe_prev = (element); \
              (behind)->link.tqe_prev = &TAILQ_NEXT(element, link);)
#define TAILQ_REMOVE(head, element, link) \
    __tw_once(if (TAILQ_NEXT(element, link) != (void *)0) \
                  TAILQ_NEXT(element, link)->link.tqe_prev = (element)->link.tqe_prev; \
              else (head)->tqh_last = (element)->link.tqe_prev; \
              *(element)->link.tqe_prev = TAILQ_NEXT(element, link);)
#define TAILQ_CONCAT(head, other, link) \
    __tw_once(if (!TAILQ_EMPTY(other)) { \
        *(head)->tqh_last = TAILQ_FIRST(other); \
        TAILQ_FIRST(other)->link.tqe_prev = (head)->tqh_last; \
        (head)->tqh_last = (other)->tqh_last; \
        TAILQ_INIT(other); \
    })
#define TAILQ_FOREACH(at, head, link) \
    for ((at) = TAILQ_FIRST(head); (at); (at) = TAILQ_NEXT(at, link))
#define TAILQ_FOREACH_SAFE(at, head, link, next) \
    for ((at) = TAILQ_FIRST(head); (at) && ((next) = TAILQ_NEXT(at, link), 1); (at) = (next))
#define TAILQ_FOREACH_REVERSE(at, head, name, link) \
    for ((at) = TAILQ_LAST(head, name); (at); (at) = TAILQ_PREV(at, name, link))
#endif
