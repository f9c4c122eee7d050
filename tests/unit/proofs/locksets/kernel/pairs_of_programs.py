"""Per rule of the kernel a program that needs it, and near misses, each with a race on `x`."""

from __future__ import annotations

from typing import NamedTuple

LOCK, UNLOCK = "pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"
GLOBALS = (
    "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER; int x, y;\n"
)
TWO = """
int main(void) { pthread_t a, b; %s pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0); %s
  pthread_join(a, 0); pthread_join(b, 0); %s return 0; }
"""


def two(
    body: str, *, before: str = "", meanwhile: str = "", after: str = "", head: str = ""
) -> str:
    """Two threads that run a body, and what the first one does before, meanwhile and after."""
    thread = f"void *f(void *v) {{ {body} return 0; }}"
    return GLOBALS + head + thread + TWO % (before, meanwhile, after)


class Example(NamedTuple):
    """A program that a rule proves, what else it is about, and programs with a race."""

    safe: str
    location: str
    rule: str
    racy: tuple[str, ...]


NODE = "struct node { pthread_mutex_t l; int x; int a[4]; }; struct node *p;\n"
MADE = "p = malloc(sizeof *p); if (!p) exit(1); pthread_mutex_init(&p->l, 0); p->a[0] = 0;"
BOXES = "struct box { pthread_mutex_t l; int x; }; struct box x_[2];\n"

EXAMPLES = {
    "acquire": Example(
        two(f"{LOCK} x++; {UNLOCK}"),
        "x",
        "locked",
        (
            two("x++;"),
            two(f"{LOCK} y++; {UNLOCK} x++;"),
            two(f"{LOCK} x++; {UNLOCK}", meanwhile="x++;"),
            two(f"{LOCK} x++; {UNLOCK}", meanwhile="pthread_mutex_lock(&n); x++;"),
        ),
    ),
    "release": Example(
        two(f"{LOCK} y++; {UNLOCK} {LOCK} x++; {UNLOCK}"),
        "x",
        "locked",
        (
            two(f"{LOCK} y++; {UNLOCK} x++; {LOCK} y++; {UNLOCK}"),
            two(f"pthread_mutex_t *q = &m; {LOCK} pthread_mutex_unlock(q); x++;"),
            two(f"{LOCK} if (y) {UNLOCK} x++; if (!y) {UNLOCK}", before="y = 1;"),
        ),
    ),
    "guard": Example(
        two(f"if (pthread_mutex_trylock(&m) == 0) {{ x++; {UNLOCK} }}"),
        "x",
        "locked",
        (
            two(f"if (pthread_mutex_trylock(&m) != 0) x++; else {UNLOCK}", meanwhile=LOCK),
            two(f"int r = pthread_mutex_trylock(&m); x++; if (r == 0) {UNLOCK}"),
            two(f"int r = pthread_mutex_trylock(&m); if (r == 0) {UNLOCK} if (r == 0) x++;"),
        ),
    ),
    "join": Example(
        two(f"{LOCK} x++; {UNLOCK}", after="x++;"),
        "x",
        "absent",
        (
            two(f"{LOCK} x++; {UNLOCK}", meanwhile="x++;"),
            two(f"{LOCK} x++; {UNLOCK}", meanwhile="pthread_join(a, 0); x++; return 0;"),
            two(f"{LOCK} x++; {UNLOCK}", meanwhile="a = b; pthread_join(a, 0); x++; return 0;"),
        ),
    ),
    "spawn": Example(
        two("y = x;".replace("y =", "int z ="), before="x = 1;"),
        "x",
        "absent",
        (
            two("int z = x;", before="x = 1;", meanwhile="x = 2;"),
            two("int z = x;", before="pthread_create(&a, 0, f, 0); x = 1;"),
            two("x = 1;", before="x = 1;"),
        ),
    ),
    "alone": Example(
        GLOBALS + "void *f(void *v) { x++; return 0; }\n"
        "int main(void) { pthread_t a; pthread_create(&a, 0, f, 0); return 0; }",
        "x",
        "alone",
        (
            two("x++;"),
            GLOBALS + "void *f(void *v) { x++; return 0; }\nint main(void) { pthread_t a;"
            " for (int i = 0; i < 2; i++) pthread_create(&a, 0, f, 0); return 0; }",
            GLOBALS
            + "void *f(void *v) { x++; if (v) { pthread_t a; pthread_create(&a, 0, f, 0); }"
            " x++; return 0; }\nint main(void) { pthread_t a; pthread_create(&a, 0, f, &x);"
            " return 0; }",
        ),
    ),
    "owns": Example(
        two(
            f"int *q = malloc(sizeof *q); if (!q) return 0; *q = 1; {LOCK} g = q; {UNLOCK}",
            head="int *g;\n",
        ),
        "new ",
        "",
        (
            two(
                f"int *q = malloc(4); if (!q) return 0; {LOCK} g = q; {UNLOCK} *q = 1;"
                f" {LOCK} int *r = g; {UNLOCK} *r = 2;",
                head="int *g;\n",
            ),
            two("int *q = malloc(4); if (!q) return 0; g = q; *g = 1;", head="int *g;\n"),
            two(
                "int *q = malloc(4), **h = malloc(sizeof *h); if (!q || !h) return 0;"
                f" *h = q; {LOCK} g = h; {UNLOCK} *q = 1; {LOCK} int *r = *g; {UNLOCK} *r = 2;",
                head="int **g;\n",
            ),
        ),
    ),
    "frozen": Example(
        two(
            "pthread_mutex_lock(&p->l); x++; pthread_mutex_unlock(&p->l);", head=NODE, before=MADE
        ),
        "x",
        "locked",
        (
            two(
                "pthread_mutex_lock(&p->l); x++; pthread_mutex_unlock(&p->l);",
                head=NODE,
                before=MADE,
                meanwhile=MADE,
            ),
            two(f"{MADE} pthread_mutex_lock(&p->l); x++; pthread_mutex_unlock(&p->l);", head=NODE),
            two(
                "struct node *q = malloc(sizeof *q); if (!q) return 0;"
                " pthread_mutex_init(&q->l, 0);"
                " pthread_mutex_lock(&q->l); x++; pthread_mutex_unlock(&q->l);",
                head=NODE,
            ),
        ),
    ),
    "distance": Example(
        two(
            "struct box *q = v; pthread_mutex_lock(&q->l); q->x++; pthread_mutex_unlock(&q->l);",
            head=BOXES,
        ).replace("f, 0)", "f, &x_[0])"),
        "x_",
        "locked",
        (
            two(
                "struct box *q = v; pthread_mutex_lock(&x_[1].l); q->x++;"
                " pthread_mutex_unlock(&x_[1].l);",
                head=BOXES,
                meanwhile="x_[0].x++;",
            ).replace("f, 0)", "f, &x_[0])"),
            two(
                "struct box *q = v; pthread_mutex_lock(&q->l); x_[0].x++;"
                " pthread_mutex_unlock(&q->l);",
                head=BOXES,
            )
            .replace("&b, 0, f, 0)", "&b, 0, f, &x_[1])")
            .replace("f, 0)", "f, &x_[0])"),
            two(
                "struct box *q = v; pthread_mutex_lock(&q->l); pthread_mutex_unlock(&q->l);"
                " q->x++;",
                head=BOXES,
            ).replace("f, 0)", "f, &x_[0])"),
        ),
    ),
    "element": Example(
        two(
            "struct node *q = v;"
            " pthread_mutex_lock(&q->l); q->a[y]++; pthread_mutex_unlock(&q->l);",
            head=NODE,
            before=MADE,
        ).replace("f, 0)", "f, p)"),
        "new ",
        "locked",
        (
            two(
                "struct node *q = v; pthread_mutex_lock(&q->l); pthread_mutex_unlock(&q->l);"
                " q->a[y]++;",
                head=NODE,
                before=MADE,
            ).replace("f, 0)", "f, p)"),
            two(
                "struct node *q = v; pthread_mutex_lock(&q->l); q->a[y]++;"
                " pthread_mutex_unlock(&q->l);",
                head=NODE,
                before=MADE,
                meanwhile="p->a[0]++;",
            ).replace("f, 0)", "f, p)"),
            two(
                "struct node *q = malloc(sizeof *q); if (!q) return 0;"
                " pthread_mutex_init(&q->l, 0);"
                " pthread_mutex_lock(&q->l); p->a[y]++; pthread_mutex_unlock(&q->l);",
                head=NODE,
                before=MADE,
            ),
        ),
    ),
    "confined": Example(
        two(
            "int **h = malloc(sizeof *h); if (!h) return 0; *h = malloc(4); if (!*h) return 0;"
            " int *r = *h; *r = 1; x_ = *r;",
            head="_Atomic int x_;\n",
        ),
        "new ",
        "confined",
        (
            two(
                f"int z = 0; int *q = &z; {LOCK} if (!g) g = q; {UNLOCK} *g = 1;", head="int *g;\n"
            ),
            two(
                f"int *q = malloc(4); if (!q) return 0; {LOCK} if (!g) g = q; q = g; {UNLOCK}"
                " *q = 1;",
                head="int *g;\n",
            ),
            two("int *q = v; *q = 1;", before="int z = 0;").replace("f, 0)", "f, &z)"),
        ),
    ),
    "constants": Example(
        two(f"if (y) x++; {LOCK} x++; {UNLOCK}"),
        "x",
        "locked",
        (
            two(f"if (y) x++; {LOCK} x++; {UNLOCK}", before="y = 1;"),
            two(f"if (y) x++; {LOCK} x++; {UNLOCK}", before="int *q = &y; *q = 1;"),
            two(
                f"if (s.b) x++; {LOCK} x++; {UNLOCK}",
                head="struct { int a, b; } s;\n",
                before="int *q = &s.b; *q = 1;",
            ),
        ),
    ),
    "free": Example(
        two("int *q = malloc(4); if (!q) return 0; *q = 1; free(q);"),
        "new ",
        "",
        (
            two(
                "int z = *g;",
                head="int *g;\n",
                before="g = malloc(4); if (!g) exit(1); *g = 0;",
                meanwhile="free(g);",
            ),
            two(
                f"{LOCK} int *q = g; g = 0; {UNLOCK} if (q) free(q);",
                head="int *g;\n",
                before="g = malloc(4); if (!g) exit(1); int *h = g;",
                meanwhile="*h = 1;",
            ),
            two("free(g);", head="int *g;\n", before="g = malloc(4); if (!g) exit(1); *g = 0;"),
        ),
    ),
}
