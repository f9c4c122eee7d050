"""Random C in which threads wait for each other in every way that the library has.

Mutexes, read-write locks, semaphores, a condition variable, a barrier, `pthread_once` and joins,
most of them used as they should be, some not. Threads are short, so that brute force sees all of a
program; in one of four a thread loops for ever beside the others.
"""

from __future__ import annotations

from random import Random

_HEAD = """#include <pthread.h>
#include <semaphore.h>
pthread_mutex_t a, b;
pthread_rwlock_t rw;
pthread_cond_t c;
pthread_once_t o;
pthread_barrier_t br;
sem_t s, u;
int flag, ticks;
void made(void) { @ }
"""

_BACKGROUND = "void *background(void *x) { while (1) ticks = !ticks; return x; }\n"


class _Writer:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.names = random.sample(["lock", "lock", "rw", "sem", "cond", "barrier", "once"], 3)
        """The ways to wait in this program."""

    def block(self, depth: int) -> str:
        return " ".join(self.statement(depth) for _ in range(self.random.randint(1, 2)))

    def statement(self, depth: int) -> str:
        draw = self.random
        inner = self.block(depth + 1) if depth < 2 and draw.random() < 0.6 else ""
        match draw.choice(self.names):
            case "lock":
                return self.locked(draw.choice("ab"), inner)
            case "rw":
                how = draw.choice(["rdlock", "rdlock", "wrlock"])
                return f"pthread_rwlock_{how}(&rw); {inner} pthread_rwlock_unlock(&rw);"
            case "sem":
                first, second = draw.choice([("s", "u"), ("u", "s"), ("s", "s")])
                return draw.choice(
                    [
                        f"sem_wait(&{first}); {inner} sem_post(&{first});",
                        f"sem_post(&{first}); {inner}",
                        f"sem_wait(&{first}); sem_post(&{second});",
                        f"if (!sem_trywait(&{first})) {{ {inner} sem_post(&{second}); }}",
                    ]
                )
            case "cond":
                wait = "while (!flag) pthread_cond_wait(&c, &a);"
                given = draw.choice(["flag = 1;", "flag = 1;", ""])
                call = draw.choice(["signal", "broadcast"])
                gives = f"{given} pthread_cond_{call}(&c);"
                return self.locked("a", draw.choice([wait, gives, gives]))
            case "barrier":
                return "pthread_barrier_wait(&br);"
            case _:
                return "pthread_once(&o, made);"

    def locked(self, lock: str, inner: str) -> str:
        rest = f"{inner} pthread_mutex_unlock(&{lock});"
        if self.random.random() < 0.15:
            return f"if (!pthread_mutex_trylock(&{lock})) {{ {rest} }}"
        return f"pthread_mutex_lock(&{lock}); {rest}"

    def program(self) -> str:
        draw = self.random
        threads = ["one", draw.choice(["one", "two"])]
        background = draw.random() < 0.25
        text = _HEAD.replace("@", draw.choice(["", "", self.block(2)]))
        for name in ("one", "two"):
            text += f"void *{name}(void *x) {{ {self.block(0)} return x; }}\n"
        text += _BACKGROUND if background else ""
        count = draw.choice([2, 2, 3])
        main = [f"sem_init(&s, 0, {draw.choice([0, 1])});", "sem_init(&u, 0, 1);"]
        main += [f"pthread_barrier_init(&br, 0, {count});", "pthread_t t[2], w;"]
        main += ["pthread_create(&w, 0, background, 0);"] if background else []
        main += [f"pthread_create(&t[{k}], 0, {name}, 0);" for k, name in enumerate(threads)]
        joins = " ".join(f"pthread_join(t[{k}], 0);" for k in range(len(threads)))
        work = self.block(1) if draw.random() < 0.4 else ""
        held = draw.random() < 0.1
        main.append(self.locked("b", joins) if held else f"{work} {joins}")
        return text + "int main(void) { " + " ".join(main) + " return 0; }\n"


def generate(seed: int) -> str:
    """The text of one program."""
    return _Writer(Random(seed)).program()
