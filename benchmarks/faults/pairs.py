"""Hand-made programs of a few lines, each with a variant that violates what the original keeps.

A pair is a text and a replacement that breaks it. They are small enough for engines with solvers,
and each is about something that engines and checkers share code for.
"""

from __future__ import annotations

from benchmarks.faults import divided

MODELS: dict[str, tuple[str, str, str]] = {
    "guard": (
        "int x; thread t[2] { int k; k = 0; await(k >= 1) { x = 1; } assert(x == 0); }",
        "k >= 1",
        "k >= 0",
    ),
    "guard_any": (
        "int x; thread t[*] { int k; k = 0; await(k >= 1) { x = 1; } assert(x == 0); }",
        "k >= 1",
        "k >= 0",
    ),
    "lock": (
        "mutex m; int[0..3] x; thread t[2] { acquire(m); x = 1; x = 0; assert(x == 0); "
        "release(m); }",
        "acquire(m); x = 1;",
        "x = 1; acquire(m);",
    ),
    "lock_any": (
        "bool busy; thread t[*] { while (true) { await(!busy) { busy = true; } crit: skip; "
        "busy = false; } } "
        "invariant alone: forall i, j: t. at(i, crit) && at(j, crit) ==> i == j;",
        "await(!busy)",
        "await(true)",
    ),
    "counter": (
        "int x; thread t[2] { atomic { x = x + 1; } assert(x <= 2); }",
        "x <= 2",
        "x <= 1",
    ),
    "counted_any": (
        "int n; thread t[*] { atomic { n = n + 1; } in: skip; atomic { n = n - 1; } } "
        "invariant enough: n >= 0;",
        "n = n - 1",
        "n = n - 2",
    ),
    "array": (
        "int[0..3] a[3]; thread t[2] { int[0..2] i; i = 1; a[i] = 2; assert(a[1] >= 2); }",
        "a[1] >= 2",
        "a[0] >= 2",
    ),
    "large_array": (
        "int[0..9] a[40]; thread t { int[0..39] i; i = 33; a[i] = 5; assert(a[33] == 5); }",
        "a[33] == 5",
        "a[34] == 5",
    ),
    "per_thread": (
        "bool mine[t]; thread t[*] { mine[self] = true; assert(mine[self]); }",
        "assert(mine[self])",
        "assert(!mine[self])",
    ),
    "owner": (
        "tid o; thread t[*] { await(o == none) { o = self; } assert(o == self); o = none; }",
        "o == none",
        "true",
    ),
    "division": (
        "int x; thread t { int y; havoc y; assume(y > 2 && y < 9); x = -7 / y; "
        "assert(x <= 0 && x > -3); x = -7 % y; assert(x <= 0); }",
        "assert(x <= 0); }",
        "assert(x >= 0); }",
    ),
    "wrapped": (
        "int[0..7] wrap x; thread t[2] { int y; x = x + 3; y = x; assert(y <= 7 && y != 1); }",
        "y != 1",
        "y != 6",
    ),
    "bits": (
        "int x; thread t { int[0..15] y; havoc y; x = y & 6; assert(x <= 6 && x != 5); "
        "x = y | 8; assert(x >= 8); x = y ^ 1; assert(x != y); x = y << 2; assert(x <= 60); }",
        "x <= 60",
        "x <= 56",
    ),
    "chosen": (
        "int[0..5] x; thread t[2] { int[0..5] y; havoc y; assume(y < 3); x = y; assert(x != 4); }",
        "y < 3",
        "y < 5",
    ),
    "call": (
        "int x; int twice(int a) { int r; r = a + a; return r; } thread t[2] { int y; "
        "y = twice(3); x = y; assert(x == 6); }",
        "twice(3)",
        "twice(2)",
    ),
    "call_parameter": (
        "bool b; void put(bool v) { b = v; return; } thread t[2] { int i; i = 1; put(i == 1); "
        "assert(b); }",
        "put(i == 1)",
        "put(i == 0)",
    ),
    "recursion": (
        "int[0..4] x; void down(int[0..3] n) { if (n > 0) { down(n - 1); } else { x = 1; } "
        "return; } thread t { down(2); assert(x == 1); }",
        "x = 1; }",
        "x = 2; }",
    ),
    "started": (
        "int x; thread w() { x = 1; } thread main { tid h; h = spawn w(); join h; "
        "assert(x == 1); }",
        "join h;",
        "",
    ),
    "two_locks": (
        "mutex m, k; int x; thread a { acquire(m); acquire(k); x = 1; release(k); release(m); } "
        "thread b { acquire(m); acquire(k); x = 2; release(k); release(m); } race_free x;",
        "acquire(k); x = 2;",
        "release(m); x = 2; acquire(m); acquire(k);",
    ),
    "race": (
        "mutex m; int x; thread t[2] { acquire(m); x = x + 1; release(m); } race_free x;",
        "acquire(m); x = x + 1; release(m);",
        "x = x + 1;",
    ),
    "race_index": (
        "int x[2]; thread t[2] { x[self.index] = 1; } race_free x;",
        "self.index",
        "0",
    ),
    "race_short_circuit": (
        "bool go; int x; thread a { x = 1; } thread b { bool r; r = false && x == 1; } "
        "race_free x;",
        "false &&",
        "true &&",
    ),
    "turns": (
        "int[0..1] turn; int x; thread a { await(turn == 0) { skip; } x = 1; turn = 1; } "
        "thread b { await(turn == 1) { skip; } assert(x == 1); }",
        "x = 1; turn = 1;",
        "turn = 1; x = 1;",
    ),
    "region": (
        "int x, y; thread t[2] { atomic { if (x > 0) { y = 1; } else { x = 0; } x = x + 1; "
        "x = x - 1; } assert(y == 0); }",
        "x = x - 1; }",
        "}",
    ),
    "region_loop": (
        "int[0..9] x; thread t[2] { int[0..3] i; atomic { i = 0; while (i < 3) { i = i + 1; "
        "x = i; } } assert(x == 3); }",
        "x == 3",
        "x < 3",
    ),
    "handshake": (
        "int x; bool done; thread a { x = 1; done = true; } thread b { await(done) { skip; } "
        "x = 2; assert(x == 2); } race_free x;",
        "await(done) { skip; }",
        "skip;",
    ),
    "initial": (
        "int[0..3] x = 2; bool b[2] = true; thread t[2] { assert(x == 2 && b[1]); }",
        "x == 2",
        "x != 2",
    ),
    "ghost_ids": (
        "tid last; int x; mutex m; thread t[*] { acquire(m); last = self; x = 1; "
        "assert(last == self); x = 0; release(m); }",
        "acquire(m); last = self;",
        "last = self; acquire(m);",
    ),
    "junk": (
        "int junk; bool busy; mutex m; thread t[2] { acquire(m); junk = junk + 2; "
        "if (junk > 9) { busy = true; } assert(!busy); release(m); }",
        "junk > 9",
        "junk > 3",
    ),
    "remembered": (
        "int x; thread t[*] { int r; r = 1; atomic { if (r == 1) { x = x + 1; } } "
        "atomic { if (r == 1) { x = x - 1; } } } invariant low: x >= 0;",
        "if (r == 1) { x = x - 1; }",
        "if (r == 1) { x = x - 2; }",
    ),
}

_HEAD = "#include <pthread.h>\n#include <stdlib.h>\n#include <assert.h>\n#include <semaphore.h>\n"
_MAIN = (
    "int main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0); "
    "pthread_join(a, 0); pthread_join(b, 0); return 0; }"
)


def _two(globals_: str, body: str) -> str:
    return f"{_HEAD}{globals_}\nvoid *f(void *p) {{ {body} return 0; }}\n{_MAIN}\n"


_M = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; "
_LOCK, _UNLOCK = "pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"

C: dict[str, tuple[str, str, str]] = {
    "locked": (_two(_M + "int x;", f"{_LOCK} x++; {_UNLOCK}"), f"{_LOCK} x++;", f"x++; {_LOCK}"),
    "record": (
        _two(_M + "struct s { int a, b; } g;", f"{_LOCK} g.a = 1; g.b = g.a; {_UNLOCK}"),
        f"g.b = g.a; {_UNLOCK}",
        f"{_UNLOCK} g.b = g.a;",
    ),
    "lock_in_record": (
        _two(
            "struct s { pthread_mutex_t m; int v; } g = { PTHREAD_MUTEX_INITIALIZER, 0 };",
            "pthread_mutex_lock(&g.m); g.v++; pthread_mutex_unlock(&g.m);",
        ),
        "pthread_mutex_lock(&g.m); g.v++;",
        "g.v++; pthread_mutex_lock(&g.m);",
    ),
    "pointer_to_lock": (
        _two(
            _M + "int x; void put(pthread_mutex_t *l, int *p) { pthread_mutex_lock(l); (*p)++; "
            "pthread_mutex_unlock(l); }",
            "put(&m, &x);",
        ),
        "(*p)++; pthread_mutex_unlock(l);",
        "pthread_mutex_unlock(l); (*p)++;",
    ),
    "two_objects": (
        _two(_M + "int x, y; int *q = &x;", f"{_LOCK} *q = 1; {_UNLOCK} if (q == &y) x = 2;"),
        "if (q == &y)",
        "if (q == &x)",
    ),
    "heap_owned": (
        _two("int *last;", "int *l = malloc(sizeof *l); if (l) { *l = 1; *l = 2; free(l); }"),
        "*l = 1;",
        "*l = 1; last = l;",
    ),
    "heap_shared": (
        _two(
            _M + "int *g;",
            f"int *l = malloc(sizeof *l); if (!l) return 0; *l = 1; {_LOCK} g = l; *g = 2; "
            f"{_UNLOCK}",
        ),
        f"*g = 2; {_UNLOCK}",
        f"{_UNLOCK} *g = 2;",
    ),
    "heap_taken": (
        _two(
            _M + "int *g;",
            f"int *l; {_LOCK} l = g; g = 0; {_UNLOCK} if (l) {{ *l = 1; free(l); }} "
            f"l = malloc(sizeof *l); if (!l) return 0; *l = 0; {_LOCK} if (!g) g = l; {_UNLOCK}",
        ),
        "l = g; g = 0;",
        "l = g;",
    ),
    "rwlock": (
        _two(
            "pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER; int x, y;",
            "pthread_rwlock_rdlock(&w); int t = x; pthread_rwlock_unlock(&w); "
            "pthread_rwlock_wrlock(&w); x = t + 1; pthread_rwlock_unlock(&w);",
        ),
        "pthread_rwlock_wrlock(&w); x",
        "pthread_rwlock_rdlock(&w); x",
    ),
    "semaphore": (
        f"{_HEAD}sem_t s; int x;\n"
        "void *f(void *p) { sem_wait(&s); x++; sem_post(&s); return 0; }\n"
        "int main(void) { pthread_t a, b; sem_init(&s, 0, 1); pthread_create(&a, 0, f, 0); "
        "pthread_create(&b, 0, f, 0); pthread_join(a, 0); pthread_join(b, 0); return 0; }\n",
        "sem_init(&s, 0, 1)",
        "sem_init(&s, 0, 2)",
    ),
    "joined": (
        f"{_HEAD}int x;\nvoid *f(void *p) {{ x = 1; return 0; }}\nint main(void) {{ pthread_t a; "
        "pthread_create(&a, 0, f, 0); pthread_join(a, 0); x = 2; assert(x == 2); return 0; }\n",
        "pthread_join(a, 0); x = 2;",
        "x = 2; pthread_join(a, 0);",
    ),
    "before_threads": (
        f"{_HEAD}int x;\nvoid *f(void *p) {{ int t = x; assert(t == 1); return 0; }}\n"
        "int main(void) { pthread_t a; x = 1; pthread_create(&a, 0, f, 0); pthread_join(a, 0); "
        "return 0; }\n",
        "x = 1; pthread_create(&a, 0, f, 0);",
        "pthread_create(&a, 0, f, 0); x = 1;",
    ),
    "own_slot": (
        f"{_HEAD}int x[2];\nvoid *f(void *p) {{ int i = *(int *)p; x[i] = 1; return 0; }}\n"
        "int n[2];\nint main(void) { pthread_t t[2]; for (int i = 0; i < 2; i++) { n[i] = i; "
        "pthread_create(&t[i], 0, f, &n[i]); } for (int i = 0; i < 2; i++) "
        "pthread_join(t[i], 0); return 0; }\n",
        "n[i] = i;",
        "n[i] = 0;",
    ),
    "own_object": (
        f"{_HEAD}struct s {{ int v; }};\nvoid *f(void *p) {{ struct s *l = p; l->v++; return 0; }}"
        "\nint main(void) { pthread_t a, b; struct s *x = malloc(sizeof *x), *y = "
        "malloc(sizeof *y); if (!x || !y) return 0; x->v = 0; y->v = 0; "
        "pthread_create(&a, 0, f, x); pthread_create(&b, 0, f, y); pthread_join(a, 0); "
        "pthread_join(b, 0); return 0; }\n",
        "f, y)",
        "f, x)",
    ),
    "atomic_flag": (
        _two(
            "_Atomic int busy; int x;",
            "int free_ = 0; if (__atomic_compare_exchange_n(&busy, &free_, 1, 0, "
            "__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) { x++; __atomic_store_n(&busy, 0, "
            "__ATOMIC_SEQ_CST); }",
        ).replace("_Atomic int busy", "int busy"),
        "x++; __atomic_store_n(&busy, 0, __ATOMIC_SEQ_CST);",
        "__atomic_store_n(&busy, 0, __ATOMIC_SEQ_CST); x++;",
    ),
    "helper": (
        _two(
            _M
            + f"int x; static void up(void) {{ {_LOCK} }} static void down(void) {{ {_UNLOCK} }}",
            "up(); x++; down();",
        ),
        "x++; down();",
        "down(); x++;",
    ),
    "branches": (
        _two(
            _M + "int x, mode;",
            f"int t = 0; {_LOCK} if (mode) t = 1; x = x + t; {_UNLOCK} if (t == 2) x = 7;",
        ),
        "if (t == 2)",
        "if (t == 0)",
    ),
    "trylock": (
        _two(_M + "int x;", f"if (pthread_mutex_trylock(&m) == 0) {{ x++; {_UNLOCK} }}"),
        "== 0",
        "!= 0",
    ),
    "loop_locked": (
        _two(_M + "int x;", f"for (int i = 0; i < 2; i++) {{ {_LOCK} x += i; {_UNLOCK} }}"),
        f"x += i; {_UNLOCK}",
        f"{_UNLOCK} x += i;",
    ),
    "constant": (
        _two(_M + "int on = 0, x;", "if (on) x++;"),
        "int on = 0",
        "int on = 1",
    ),
    "two_mutexes": (
        _two(
            _M + "pthread_mutex_t k = PTHREAD_MUTEX_INITIALIZER; int x;",
            f"{_LOCK} pthread_mutex_lock(&k); x++; pthread_mutex_unlock(&k); {_UNLOCK}",
        ),
        f"{_LOCK} pthread_mutex_lock(&k); x++;",
        f"x++; {_LOCK} pthread_mutex_lock(&k);",
    ),
    "unsigned": (
        _two(_M + "unsigned x;", f"{_LOCK} x = x - 1u; assert(x > 2u); {_UNLOCK}"),
        "x > 2u",
        "x < 2u",
    ),
    "condition": (
        _two(
            _M + "pthread_cond_t c = PTHREAD_COND_INITIALIZER; int ready, x;",
            f"{_LOCK} if (!ready) {{ ready = 1; pthread_cond_signal(&c); }} else {{ "
            f"x = 1; }} {_UNLOCK}",
        ),
        f"x = 1; }} {_UNLOCK}",
        f"{_UNLOCK} x = 1; {_LOCK} }} {_UNLOCK}",
    ),
    "function_pointer": (
        _two(
            _M + "int x; static void one(void) { x++; } static void none(void) {} "
            "void (*act)(void) = one;",
            f"{_LOCK} act(); {_UNLOCK}",
        ),
        f"act(); {_UNLOCK}",
        f"{_UNLOCK} act();",
    ),
    "list": (
        _two(
            _M + "struct n { int v; struct n *next; } *head;",
            "struct n *l = malloc(sizeof *l); if (!l) return 0; l->v = 1; "
            f"{_LOCK} l->next = head; head = l; {_UNLOCK} "
            f"{_LOCK} if (head) head->v = 2; {_UNLOCK}",
        ),
        f"if (head) head->v = 2; {_UNLOCK}",
        f"{_UNLOCK} if (head) head->v = 2;",
    ),
}


_LOOP = "thread main { while (true) { %s } }"
CREATED: dict[str, tuple[str, str, str]] = {
    "crowd_turns.tw": (
        "bool busy; int[0..2] inside; thread w() { await(!busy) { busy = true; } inside = 1; "
        "assert(inside == 1); inside = 0; busy = false; } " + _LOOP % "spawn w();",
        "await(!busy)",
        "await(true)",
    ),
    "crowd_argument.tw": (
        "int[0..9] x; thread w(int[0..9] n) { assert(n == 4); x = n; } " + _LOOP % "spawn w(4);",
        "spawn w(4)",
        "spawn w(5)",
    ),
    "crowd_begin.tw": (
        "bool ready; thread w() { assert(ready); } "
        "thread main { ready = true; while (true) { spawn w(); } }",
        "ready = true; while (true) { spawn w(); }",
        "while (true) { spawn w(); ready = true; }",
    ),
    "crowd_mutex.tw": (
        "mutex m; int[0..3] x; thread w() { acquire(m); x = 1; x = 0; assert(x == 0); release(m); "
        "} " + _LOOP % "spawn w();",
        "assert(x == 0); release(m);",
        "release(m); assert(x == 0);",
    ),
    "crowd_join.tw": (
        "thread w() { skip; } thread main { tid h[2]; int[0..1] i; while (true) { "
        "h[0] = spawn w(); h[1] = spawn w(); havoc i; join h[i]; } }",
        "h[1] = spawn w();",
        "",
    ),
    "crowd_handles_race.tw": (
        "tid h; thread w() { tid k; k = none; } " + _LOOP % "h = spawn w();",
        "k = none",
        "k = h",
    ),
    "followed_slot.tw": (
        "bool slot[w] = false; int[0..9] count; thread w(int[0..9] mine) { slot[mine] = true; "
        "count = 1; assert(slot[mine]); } thread main { tid h; int[0..2] n; h = spawn w(n); "
        "n = n + 1; spawn w(n); join h; assert(slot[0] && count > 0); }",
        "count > 0",
        "count > 1",
    ),
    "deadlock_order.tw": (
        "mutex m, k; thread a { acquire(m); acquire(k); release(k); release(m); } "
        "thread b { acquire(m); acquire(k); skip; release(k); release(m); }",
        "acquire(m); acquire(k); skip;",
        "acquire(k); acquire(m); skip;",
    ),
    "deadlock_any.tw": (
        "mutex m, k; thread t[*] { while (true) { either { acquire(m); acquire(k); release(k); "
        "release(m); } or { acquire(m); acquire(k); skip; release(m); release(k); } } }",
        "acquire(m); acquire(k); skip;",
        "acquire(k); acquire(m); skip;",
    ),
    "deadlock_join.tw": (
        "mutex m; thread w() { acquire(m); release(m); } thread main { tid h; h = spawn w(); "
        "acquire(m); release(m); join h; }",
        "release(m); join h;",
        "join h; release(m);",
    ),
    "crowd_flag.c": (
        "#include <assert.h>\n#include <pthread.h>\nstatic int flag;\n"
        "static void *w(void *a) { (void)a; flag = 3; assert(flag < 4); return 0; }\n"
        "int main(void) { pthread_t t; for (int i = 0; i < 999; i++) pthread_create(&t, 0, w, 0); "
        "return 0; }\n",
        "flag = 3",
        "flag = 4",
    ),
    "deadlock_order.c": (
        "#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, "
        "k = PTHREAD_MUTEX_INITIALIZER;\nstatic void both(pthread_mutex_t *a, "
        "pthread_mutex_t *b) { pthread_mutex_lock(a); pthread_mutex_lock(b); "
        "pthread_mutex_unlock(b); pthread_mutex_unlock(a); }\n"
        "static void *w(void *a) { both(&m, &k); return a; }\n"
        "int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); both(&m, &k); "
        "pthread_join(t, 0); return 0; }\n",
        "both(&m, &k); pthread_join",
        "both(&k, &m); pthread_join",
    ),
}
"""About threads that are created, any number of them, and about deadlocks."""


def _own(globals_: str, make: str, argument: str, body: str) -> str:
    """Two threads that are given something each."""
    return (
        "#include <pthread.h>\n#include <stdlib.h>\n"
        f"{globals_}\nstatic void *w(void *p) {{ {body} return 0; }}\n"
        f"int main(void) {{ pthread_t t[2]; for (int i = 0; i < 2; i++) {{ {make} }} "
        f"for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, w, {argument}); "
        "for (int i = 0; i < 2; i++) pthread_join(t[i], 0); return 0; }\n"
    )


_WORK = "struct work { int in, out; pthread_mutex_t m; };\nstatic struct work *all[2];"
_MAKE = (
    "all[i] = malloc(sizeof *all[i]); if (!all[i]) exit(1); all[i]->in = i; all[i]->out = 0; "
    "pthread_mutex_init(&all[i]->m, 0);"
)
_IDS = "static int ids[2], out[2], *where = &out[0];"

OWN: dict[str, tuple[str, str, str]] = {
    "own_object": (
        _own(_WORK, _MAKE, "all[i]", "struct work *k = p; k->out += k->in; k->out++;"),
        "w, all[i]",
        "w, all[0]",
    ),
    "own_part": (
        _own(_IDS, "ids[i] = i;", "&ids[i]", "int id = *(int *)p; out[id]++; out[id]++;"),
        "w, &ids[i]",
        "w, &ids[0]",
    ),
    "own_moved": (
        _own(_IDS, "ids[i] = i;", "&ids[i]", "int *q = &out[0] + *(int *)p; *q += 1; *q += 1;"),
        "&out[0] + *(int *)p",
        "&out[1] - *(int *)p / 2",
    ),
    "own_at_rest": (
        _own(_IDS, "ids[i] = i;", "&ids[i]", "int id = *(int *)p; where[id]++; where[id]--;"),
        "where[id]--;",
        "where[1 - id]--;",
    ),
    "own_pointer_moves": (
        _own(_IDS, "ids[i] = i;", "&ids[i]", "int id = *(int *)p; where[id]++; where[id]--;"),
        "where[id]++;",
        "where[id]++; where = &out[0];",
    ),
    "own_freed": (
        _own(_WORK, _MAKE, "all[i]", "struct work *k = p; k->out++; free(k);"),
        "free(k);",
        "free(all[0]);",
    ),
    "own_lock": (
        _own(
            _WORK,
            _MAKE,
            "all[0]",
            "struct work *k = p; pthread_mutex_lock(&k->m); k->out++; "
            "pthread_mutex_unlock(&k->m);",
        ),
        "pthread_mutex_lock(&k->m); k->out++;",
        "k->out++; pthread_mutex_lock(&k->m);",
    ),
    "own_local": (
        _own(
            "static int *shown; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;",
            "",
            "0",
            "int *k = malloc(sizeof *k); if (!k) return 0; *k = 1; *k += 1; "
            "pthread_mutex_lock(&m); shown = k; pthread_mutex_unlock(&m);",
        ),
        "shown = k; pthread_mutex_unlock(&m);",
        "if (shown) *shown = 2; shown = k; pthread_mutex_unlock(&m); *k = 3;",
    ),
}
"""About threads with data of their own, which only a state tells."""


_RUN = "pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0);"


def _run(globals_: str, body: str, main: str) -> str:
    body = f"void *f(void *p) {{ {body} return 0; }}"
    return f"{_HEAD}{globals_}\n{body}\nint main(void) {{ {main} return 0; }}\n"


MEMORY: dict[str, tuple[str, str, str]] = {
    "memory_alias": (
        _run("int x, y, *s;", "*s = 1;", f"s = x ? &y : &x; {_RUN} assert(x == 1 && y == 0);"),
        "x == 1",
        "y == 1",
    ),
    "memory_element": (
        _run("int v[3], *s = v;", "s += 2; *s = 4;", f"{_RUN} assert(v[2] == 4 && s[-1] == 0);"),
        "s += 2;",
        "s += 1;",
    ),
    "memory_member": (
        _run(
            "struct s { int a, b; } g, h, *s = &g;",
            "s->b = 3; s = &h; s->a = 2;",
            f"{_RUN} assert(g.b == 3 && g.a == 0 && h.a == 2);",
        ),
        "s = &h;",
        "",
    ),
    "memory_handle": (
        _run("int x, y, *s, **h = &s;", "**h = 2;", f"s = &x; *h = &y; {_RUN} assert(y == 2);"),
        "*h = &y;",
        "",
    ),
    "memory_heap": (
        _run(
            "struct n { int v; struct n *next; } *head;",
            "struct n *n = malloc(sizeof *n); if (!n) abort(); "
            "n->v = 5; n->next = head; head = n;",
            "struct n *first = malloc(sizeof *first); if (!first) abort(); first->v = 1; "
            f"first->next = 0; head = first; {_RUN} assert(head->v == 5 && head->next->v == 1);",
        ),
        "n->next = head;",
        "n->next = n;",
    ),
    "memory_null": (
        _run("int x, *s;", "if (!s) s = &x;", f"{_RUN} assert(s == &x);"),
        "if (!s)",
        "if (s)",
    ),
    "memory_race": (
        _run(
            "int x, y, *s = &x;",
            "*s = 1;",
            "pthread_t t; pthread_create(&t, 0, f, 0); y = 2; pthread_join(t, 0);",
        ),
        "y = 2;",
        "x = 2;",
    ),
}
"""About pointers as variables: an object and an offset."""


def texts() -> list[tuple[str, str]]:
    """Name and text of all of them, originals and variants in turn."""
    found = []
    for suffix, group in (
        (".tw", MODELS),
        (".c", C),
        (".c", OWN),
        (".c", MEMORY),
        ("", CREATED),
        (".tw", divided.MODELS),
    ):
        for full, (text, right, wrong) in group.items():
            name, dot, kind = f"{full}{suffix}".rpartition(".")
            if right not in text:
                raise ValueError(f"{name}: nothing to replace")
            found.append((f"pairs/{name}{dot}{kind}", text))
            found.append((f"pairs/{name}_wrong{dot}{kind}", text.replace(right, wrong)))
    return found
