"""Random C out of idioms by which threads share data, half of it with one of them broken.

A program has a few threads, created in a loop, one by one, or by a thread in between, and some
idioms: locks of all kinds, ownership, threads of threads, lists, tables. Each idiom has a right
form, and wrong ones in which two threads race. So what is right is known without a search.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from string import Template

_HEAD = """#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#define N 3
"""


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


@dataclass(frozen=True)
class Idiom:
    """Text for the places of a program; `$k` numbers it, `$lock` and `$unlock` enclose accesses.

    A fault replaces a text, which occurs once, by another.
    """

    name: str
    declares: str
    worker: str
    faults: tuple[tuple[str, str], ...]
    before: str = ""
    meanwhile: str = ""
    afterwards: str = ""


IDIOMS = (
    Idiom(
        "counter",
        "static pthread_mutex_t m$k = PTHREAD_MUTEX_INITIALIZER;\n"
        "static pthread_mutex_t o$k = PTHREAD_MUTEX_INITIALIZER;\n"
        "static int c$k;\n",
        "${lock}(&m$k);\nc$k += (int)id;\n${unlock}(&m$k);\n",
        (
            (
                "${lock}(&m$k);\nc$k += (int)id;\n${unlock}(&m$k);\n",
                "pthread_mutex_t *l$k = id == 1 ? &o$k : &m$k;\n"
                "${lock}(l$k);\nc$k += (int)id;\n${unlock}(l$k);\n",
            ),
            ("c$k += (int)id;\n${unlock}(&m$k);\n", "${unlock}(&m$k);\nc$k += (int)id;\n"),
            ("int seen$k = c$k;\n${unlock}(&m$k);", "${unlock}(&m$k);\nint seen$k = c$k;"),
        ),
        meanwhile="${lock}(&m$k);\nint seen$k = c$k;\n${unlock}(&m$k);\n(void)seen$k;\n",
        afterwards="c$k++;\n",
    ),
    Idiom(
        "list",
        "struct node$k { int value; struct node$k *next; };\n"
        "static struct node$k *head$k;\n"
        "static pthread_mutex_t m$k = PTHREAD_MUTEX_INITIALIZER;\n",
        "struct node$k *new$k = malloc(sizeof *new$k);\n"
        "if (!new$k)\n    abort();\n"
        "new$k->value = (int)id;\n"
        "${lock}(&m$k);\nnew$k->next = head$k;\nhead$k = new$k;\n${unlock}(&m$k);\n"
        "${lock}(&m$k);\nstruct node$k *got$k = head$k;\n"
        "if (got$k)\n    head$k = got$k->next;\n${unlock}(&m$k);\n"
        "if (got$k) {\n    got$k->value++;\n    free(got$k);\n}\n",
        (
            ("    head$k = got$k->next;\n", "    got$k->value = 0;\n"),
            (
                "head$k = new$k;\n${unlock}(&m$k);\n",
                "head$k = new$k;\n${unlock}(&m$k);\nnew$k->value = 7;\n",
            ),
            (
                "${lock}(&m$k);\nstruct node$k *got$k = head$k;\n",
                "struct node$k *got$k = head$k;\n${lock}(&m$k);\n",
            ),
        ),
    ),
    Idiom(
        "table",
        "struct bucket$k { pthread_mutex_t m; int used; };\nstatic struct bucket$k table$k[2];\n",
        "unsigned key$k = (unsigned)id % 2;\n"
        "struct bucket$k *b$k = &table$k[key$k];\n"
        "${lock}(&b$k->m);\nb$k->used++;\n${unlock}(&b$k->m);\n",
        (
            ("b$k->used++;\n", "table$k[1 - key$k].used++;\n"),
            (
                "${lock}(&b$k->m);\nb$k->used++;\n${unlock}(&b$k->m);\n",
                "${lock}(&table$k[id == 1].m);\nb$k->used++;\n${unlock}(&table$k[id == 1].m);\n"
                "b$k = &table$k[0];\n${lock}(&table$k[1].m);\nb$k->used++;\n"
                "${unlock}(&table$k[1].m);\n",
            ),
        ),
        before="for (int i = 0; i < 2; i++)\n    pthread_mutex_init(&table$k[i].m, 0);\n",
    ),
    Idiom(
        "slots",
        "static int slot$k[N];\n",
        "slot$k[id] = (int)id + 1;\n",
        (("slot$k[id] =", "slot$k[id / 2] ="),),
        afterwards="for (int i = 1; i < N; i++)\n    slot$k[0] += slot$k[i];\n",
    ),
    Idiom(
        "configuration",
        "struct config$k { int size, depth; };\nstatic struct config$k *config$k;\n",
        "int size$k = config$k->size * config$k->depth;\n(void)size$k;\n",
        (
            ("(void)config$k;\n", "config$k->depth = 3;\n"),
            ("(void)size$k;\n", "if (size$k > 3)\n    config$k->size = 1;\n"),
        ),
        before="config$k = malloc(sizeof *config$k);\nif (!config$k)\n    abort();\n"
        "config$k->size = 4;\nconfig$k->depth = 2;\n",
        meanwhile="(void)config$k;\n",
        afterwards="config$k->size = 0;\nfree(config$k);\n",
    ),
    Idiom(
        "readers",
        "static pthread_rwlock_t rw$k = PTHREAD_RWLOCK_INITIALIZER;\n"
        "static int first$k, second$k;\n",
        "pthread_rwlock_rdlock(&rw$k);\nint both$k = first$k + second$k;\n"
        "pthread_rwlock_unlock(&rw$k);\n(void)both$k;\n"
        "if (id == 1) {\n    pthread_rwlock_wrlock(&rw$k);\n    first$k++;\n    second$k--;\n"
        "    pthread_rwlock_unlock(&rw$k);\n}\n",
        (
            ("wrlock", "rdlock"),
            (
                "    second$k--;\n    pthread_rwlock_unlock(&rw$k);\n",
                "    pthread_rwlock_unlock(&rw$k);\n    second$k--;\n",
            ),
        ),
    ),
    Idiom(
        "atomic",
        "static atomic_int count$k;\n",
        "count$k++;\n",
        (("static atomic_int", "static int"),),
        meanwhile="int now$k = count$k;\n(void)now$k;\n",
    ),
    Idiom(
        "mailbox",
        "static pthread_mutex_t m$k = PTHREAD_MUTEX_INITIALIZER;\nstatic int *box$k;\n",
        "int *mine$k = malloc(sizeof *mine$k);\nif (!mine$k)\n    abort();\n*mine$k = (int)id;\n"
        "${lock}(&m$k);\nint *old$k = box$k;\nbox$k = mine$k;\n${unlock}(&m$k);\n"
        "if (old$k) {\n    *old$k += 1;\n    free(old$k);\n}\n",
        (
            ("    *old$k += 1;\n    free(old$k);\n", "    *mine$k += 1;\n    free(old$k);\n"),
            ("box$k = mine$k;\n${unlock}", "if (!old$k)\n    box$k = mine$k;\n${unlock}"),
        ),
    ),
    Idiom(
        "once",
        "static pthread_once_t once$k = PTHREAD_ONCE_INIT;\nstatic int *table$k;\n"
        "static void make$k(void)\n{\n    table$k = malloc(4 * sizeof *table$k);\n"
        "    if (!table$k)\n        abort();\n    table$k[0] = 1;\n}\n",
        "pthread_once(&once$k, make$k);\nint one$k = table$k[0];\n(void)one$k;\n",
        (
            ("pthread_once(&once$k, make$k);\n", "if (!table$k)\n    make$k();\n"),
            ("(void)one$k;\n", "table$k[0] = one$k;\n"),
        ),
    ),
    Idiom(
        "thread_local",
        "static _Thread_local int own$k;\n",
        "own$k++;\n",
        (("static _Thread_local", "static"),),
    ),
    Idiom(
        "child",
        "struct work$k { int in, out; };\n"
        "static void *child$k(void *given)\n{\n    struct work$k *w = given;\n"
        "    w->out = w->in + 1;\n    return 0;\n}\n",
        "struct work$k work$k;\nwork$k.in = (int)id;\npthread_t t$k;\n"
        "pthread_create(&t$k, 0, child$k, &work$k);\npthread_join(t$k, 0);\n"
        "int out$k = work$k.out;\n(void)out$k;\n",
        (
            (
                "pthread_join(t$k, 0);\nint out$k = work$k.out;\n",
                "int out$k = work$k.out;\npthread_join(t$k, 0);\n",
            ),
            ("struct work$k work$k;\n", "static struct work$k work$k;\n"),
        ),
    ),
    Idiom(
        "ready",
        "static pthread_mutex_t m$k = PTHREAD_MUTEX_INITIALIZER;\n"
        "static pthread_cond_t cond$k = PTHREAD_COND_INITIALIZER;\n"
        "static int ready$k, data$k;\n",
        "pthread_mutex_lock(&m$k);\nwhile (!ready$k)\n    pthread_cond_wait(&cond$k, &m$k);\n"
        "pthread_mutex_unlock(&m$k);\nint data_now$k = data$k;\n(void)data_now$k;\n",
        (
            ("while (!ready$k)\n    pthread_cond_wait(&cond$k, &m$k);\n", ""),
            (
                "pthread_mutex_unlock(&m$k);\n/* told */\n",
                "pthread_mutex_unlock(&m$k);\ndata$k = 6;\n",
            ),
        ),
        meanwhile="data$k = 5;\npthread_mutex_lock(&m$k);\nready$k = 1;\n"
        "pthread_cond_broadcast(&cond$k);\npthread_mutex_unlock(&m$k);\n/* told */\n",
    ),
    Idiom(
        "objects",
        "struct object$k { pthread_mutex_t m; int value; };\n"
        "static struct object$k *object$k[2];\n",
        "struct object$k *o$k = object$k[id == 1];\n"
        "${lock}(&o$k->m);\no$k->value++;\n${unlock}(&o$k->m);\n",
        (
            ("o$k->value++;\n", "object$k[0]->value++;\n"),
            (
                "${lock}(&o$k->m);\no$k->value++;\n${unlock}(&o$k->m);\n",
                "${lock}(&o$k->m);\nint was$k = o$k->value;\n${unlock}(&o$k->m);\n"
                "o$k->value = was$k + 1;\n",
            ),
        ),
        before="for (int i = 0; i < 2; i++) {\n    object$k[i] = malloc(sizeof *object$k[i]);\n"
        "    if (!object$k[i])\n        abort();\n"
        "    pthread_mutex_init(&object$k[i]->m, 0);\n    object$k[i]->value = 0;\n}\n",
    ),
    Idiom(
        "semaphore",
        "static sem_t turn$k;\nstatic int total$k;\n",
        "sem_wait(&turn$k);\ntotal$k++;\nsem_post(&turn$k);\n",
        (("sem_init(&turn$k, 0, 1)", "sem_init(&turn$k, 0, 2)"),),
        before="sem_init(&turn$k, 0, 1);\n",
    ),
    Idiom(
        "try",
        "static pthread_mutex_t m$k = PTHREAD_MUTEX_INITIALIZER;\nstatic int tried$k;\n",
        "if (pthread_mutex_trylock(&m$k) == 0) {\n    tried$k++;\n"
        "    pthread_mutex_unlock(&m$k);\n}\n",
        (
            (
                "    tried$k++;\n    pthread_mutex_unlock(&m$k);\n}\n",
                "    pthread_mutex_unlock(&m$k);\n}\ntried$k++;\n",
            ),
        ),
    ),
    Idiom(
        "phases",
        "static pthread_barrier_t meet$k;\nstatic int left$k[N], right$k[N];\n",
        "left$k[id] = (int)id;\npthread_barrier_wait(&meet$k);\n"
        "right$k[id] = left$k[(id + 1) % N];\n",
        (("pthread_barrier_wait(&meet$k);\n", ""),),
        before="pthread_barrier_init(&meet$k, 0, N);\n",
    ),
)


@dataclass(frozen=True)
class Made:
    """A program, and which idioms are in it."""

    text: str
    idioms: tuple[str, ...]
    broken: str | None
    """The idiom that is wrong."""


_TAKE = (
    ("pthread_mutex_lock", "pthread_mutex_unlock", ""),
    (
        "enter",
        "leave",
        "static void enter(pthread_mutex_t *m)\n{\n    pthread_mutex_lock(m);\n}\n"
        "static void leave(pthread_mutex_t *m)\n{\n    pthread_mutex_unlock(m);\n}\n",
    ),
    (
        "ENTER",
        "LEAVE",
        "#define ENTER(m) do { if (pthread_mutex_lock(m)) abort(); } while (0)\n"
        "#define LEAVE(m) do { if (pthread_mutex_unlock(m)) abort(); } while (0)\n",
    ),
)
_JOIN_ALL = "for (int i = 0; i < N; i++)\n    pthread_join(t[i], 0);\n"
_LOOP = (
    "pthread_t t[N];\nfor (long i = 0; i < N; i++)\n"
    "    pthread_create(&t[i], 0, worker, (void *)i);\n"
)


@dataclass(frozen=True)
class _Threads:
    """How threads are created: what is declared for that behind `worker`, and the two ends."""

    create: str
    join: str
    declares: str = ""


_THREADS = (
    _Threads(_LOOP, _JOIN_ALL),
    _Threads(
        "pthread_t a, b, c;\npthread_create(&a, 0, worker, (void *)0);\n"
        "pthread_create(&b, 0, worker, (void *)1);\npthread_create(&c, 0, worker, (void *)2);\n",
        "pthread_join(a, 0);\npthread_join(b, 0);\npthread_join(c, 0);\n",
    ),
    _Threads(
        "pthread_t t[N];\nlong ids[N];\nfor (int i = 0; i < N; i++) {\n    ids[i] = i;\n"
        "    pthread_create(&t[i], 0, by_pointer, &ids[i]);\n}\n",
        _JOIN_ALL,
        "static void *by_pointer(void *given)\n{\n    return worker((void *)*(long *)given);\n}\n",
    ),
    _Threads(
        "pthread_t m;\npthread_create(&m, 0, manager, 0);\n",
        "pthread_join(m, 0);\n",
        f"static void *manager(void *unused)\n{{\n{_indented(_LOOP + _JOIN_ALL)}"
        "    return unused;\n}\n",
    ),
)


def generate(seed: int) -> Made:
    """A program, the same for the same seed."""
    random = Random(seed)
    chosen = random.sample(IDIOMS, random.randint(1, 3))
    broken = random.randrange(len(chosen)) if random.random() < 0.5 else None
    lock, unlock, helpers = random.choice(_TAKE)
    parts = [
        _filled(idiom, number, random if number == broken else None, (lock, unlock))
        for number, idiom in enumerate(chosen)
    ]
    threads = random.choice(_THREADS)
    calls = random.random() < 0.4
    steps = [part["worker"] for part in parts]
    functions = "".join(
        f"static void step{number}(long id)\n{{\n{_indented(step)}    (void)id;\n}}\n"
        for number, step in enumerate(steps)
        if calls
    )
    inner = "".join(
        f"step{number}(id);\n" if calls else f"{{\n{_indented(step)}}}\n"
        for number, step in enumerate(steps)
    )
    main = (
        *(part["before"] for part in parts),
        threads.create,
        *(part["meanwhile"] for part in parts),
        threads.join,
        *(part["afterwards"] for part in parts),
    )
    text = (
        _HEAD
        + (helpers if any("${lock}" in idiom.worker for idiom in chosen) else "")
        + "".join(part["declares"] for part in parts)
        + functions
        + _function("static void *worker(void *arg)", f"long id = (long)arg;\n{inner}(void)id;\n")
        + threads.declares
        + _function("int main(void)", "".join(main))
    )
    names = tuple(idiom.name for idiom in chosen)
    return Made(text, names, None if broken is None else names[broken])


def _filled(
    idiom: Idiom, number: int, faulty: Random | None, locks: tuple[str, str]
) -> dict[str, str]:
    """The texts of an idiom; with a fault, if there is something to draw it from."""
    fault = None if faulty is None else faulty.choice(idiom.faults)
    texts = {
        place: getattr(idiom, place)
        for place in ("declares", "worker", "before", "meanwhile", "afterwards")
    }
    if fault is not None:
        (place,) = (name for name, text in texts.items() if fault[0] in text)
        assert texts[place].count(fault[0]) == 1
        texts[place] = texts[place].replace(*fault)
    values = {"k": str(number), "lock": locks[0], "unlock": locks[1]}
    return {place: Template(_braced(text)).substitute(values) for place, text in texts.items()}


def _braced(text: str) -> str:
    """`$k` may stand before letters of a name."""
    return text.replace("$k", "${k}")


def _function(head: str, body: str) -> str:
    return f"{head}\n{{\n{_indented(body)}    return 0;\n}}\n"
