"""Which lines of a story matter, and what objects are called in it."""

from pathlib import Path

import threadwise
from threadwise.traces.story import Story, named

HEAD = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n"


def story_of(folder: Path, body: str, asked: str = "assertions") -> Story:
    path = folder / "program.c"
    path.write_text(HEAD + body)
    result = threadwise.check(path, properties=asked, engine="explicit", in_process=True)
    (described,) = [each.trace for each in result.properties if each.trace is not None]
    assert described.story is not None
    return described.story


def told(story: Story) -> list[str]:
    return [f"{line.text} {'; '.join(line.effects)}".strip() for line in story.slice]


PUBLISHED = """
static int data, noise;
static atomic_int flag;
static void *consume(void *unused) {
    noise = 3;
    while (!atomic_load(&flag))
        ;
    assert(data == 42);
    return 0;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, consume, 0);
    atomic_store(&flag, 1);
    data = 42;
    return 0;
}
"""


def test_a_loop_that_waits_for_another_thread_matters(tmp_path: Path) -> None:
    lines = told(story_of(tmp_path, PUBLISHED))
    assert lines == [
        "starts consume",
        "atomic_store(&flag, 1) flag = 1",
        "atomic_load(&flag) flag is 1",
        "assert(data == 42) data is 0",
    ]


def test_a_loop_in_a_function_that_has_returned_matters_too(tmp_path: Path) -> None:
    waits = "static void wait_for_it(void) { while (!atomic_load(&flag)) ; }\n"
    body = PUBLISHED.replace(
        "    while (!atomic_load(&flag))\n        ;\n", "    wait_for_it();\n"
    )
    lines = told(
        story_of(tmp_path, body.replace("static void *consume", waits + "static void *consume"))
    )
    assert "atomic_store(&flag, 1) flag = 1" in lines
    assert not any("noise" in line for line in lines)


LOST = """
static int count, seen[2];
static void *work(void *unused) {
    int old = count;
    count = old + 1;
    return 0;
}
int main(void) {
    pthread_t a, b;
    seen[0] = 1;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count == 2);
    return 0;
}
"""


def test_a_lost_update_has_both_threads(tmp_path: Path) -> None:
    lines = told(story_of(tmp_path, LOST))
    assert lines.count("int old = count count is 0") == 2
    assert lines.count("count = old + 1 count = 1") == 2
    assert not any("seen" in line for line in lines)


NODES = """
struct node { int value; struct node *next; };
static struct node *head;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void push(int value) {
    struct node *fresh = malloc(sizeof *fresh);
    if (!fresh) abort();
    fresh->value = value;
    pthread_mutex_lock(&lock);
    fresh->next = head;
    head = fresh;
    pthread_mutex_unlock(&lock);
}
static void *work(void *unused) {
    push(1);
    return 0;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    push(2);
    pthread_join(a, 0);
    struct node *old = head->next;
    int value = head->value;
    free(old);
    assert(value == 2);
    return 0;
}
"""


def test_heap_objects_have_numbers_and_what_is_freed_no_values(tmp_path: Path) -> None:
    story = story_of(tmp_path, NODES)
    effects = [effect for line in story.full for effect in line.effects]
    assert {"node#1.value = 2", "head = &node#2", "node#2.next = &node#1"} <= set(effects)
    assert "frees node#1" in effects
    assert [(each.name, each.type) for each in story.objects] == [
        ("node#1", "struct node"),
        ("node#2", "struct node"),
    ]


SIGNALLED = """
static int ready, used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static void *work(void *unused) {
    pthread_mutex_lock(&lock);
    if (!ready)
        pthread_cond_wait(&changed, &lock);
    assert(used == 0);
    pthread_mutex_unlock(&lock);
    return 0;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    pthread_mutex_lock(&lock);
    used = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return 0;
}
"""


def test_waits_say_how_far_they_are(tmp_path: Path) -> None:
    story = story_of(tmp_path, SIGNALLED)
    waits = [line.effects for line in story.full if line.text.startswith("pthread_cond_wait")]
    assert [word for effects in waits for word in effects] == ["waits", "woken"]
    assert "pthread_cond_signal(&changed)" in told(story)


READING = """
static int x;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static void *work(void *unused) {
    pthread_rwlock_rdlock(&lock);
    x++;
    pthread_rwlock_unlock(&lock);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    return 0;
}
"""


def test_locks_for_reading_are_held_too(tmp_path: Path) -> None:
    story = story_of(tmp_path, READING, "races")
    assert [row.held for row in story.end] == [("lock (read)",), ("lock (read)",)]
    taken = [line for line in story.slice if line.text == "pthread_rwlock_rdlock(&lock)"]
    assert [line.held for line in taken] == [("lock (read)",), ("lock (read)",)]
    assert "both hold lock for reading only" in story.why


FUNCTIONS = """
static int x;
static void one(void) { x = 1; }
static void (*chosen)(void);
static void *work(void *unused) { chosen(); return 0; }
int main(void) {
    pthread_t a;
    chosen = one;
    pthread_create(&a, 0, work, 0);
    pthread_join(a, 0);
    assert(x == 0);
    return 0;
}
"""


def test_functions_have_their_names(tmp_path: Path) -> None:
    story = story_of(tmp_path, FUNCTIONS)
    assert ("chosen = one",) in [line.effects for line in story.full]


def test_threads_in_a_row_are_named_by_the_ends() -> None:
    assert named(["work[0]", "work[1]", "work[2]"]) == "work[0] to work[2]"
    assert named(["work[0]", "work[1]"]) == "work[0], work[1]"
    assert named(["main", "work[1]", "work[3]", "log"]) == "main, work[1], work[3], log"
