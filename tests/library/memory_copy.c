// Copying, moving, filling and comparing of memory.
//
// expect assertions: SAFE
// expect -D RACE races: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>

struct pair { int left; char right; };

static int numbers[4] = { 1, 2, 3, 4 };
static char text[6] = "abcde";

static void *work(void *unused)
{
    memset(numbers, 0, sizeof numbers);
    return NULL;
}

int main(void)
{
    int copy[4];
    char same[6];
    struct pair pair = { 5, 'x' }, other;
    assert(memcpy(copy, numbers, sizeof copy) == copy);
    assert(copy[0] == 1 && copy[3] == 4);
    memcpy(&other, &pair, sizeof pair);
    assert(other.left == 5 && other.right == 'x');
    memmove(text + 1, text, 3);
    assert(text[0] == 'a' && text[1] == 'a' && text[2] == 'b' && text[3] == 'c');
    memmove(text, text + 1, 4);
    assert(text[0] == 'a' && text[1] == 'b' && text[2] == 'c' && text[3] == 'e');
    assert(mempcpy(same, text, 6) == same + 6);
    assert(memcmp(same, text, 6) == 0);
    same[2] = 'z';
    assert(memcmp(same, text, 6) > 0 && memcmp(text, same, 6) < 0 && memcmp(text, same, 2) == 0);
    memset(same, 'q', 3);
    assert(same[0] == 'q' && same[2] == 'q' && same[3] == 'e');
    memset(copy, 0, sizeof copy);
    assert(copy[0] == 0 && copy[3] == 0);
    char row[8] = "abcdefg";
    size_t many = strlen(row) - 2;
    memmove(row + 2, row, many);
    assert(row[0] == 'a' && row[1] == 'b' && row[2] == 'a' && row[6] == 'e' && row[7] == 0);
    memmove(row, row + 1, many);
    assert(row[0] == 'b' && row[1] == 'a' && row[4] == 'd' && row[5] == 'd');
    memmove(same, row, many);
    assert(same[0] == 'b' && same[4] == 'd');
    bcopy(numbers, copy, sizeof copy);
    assert(copy[2] == 3);
    bzero(copy, sizeof copy);
    assert(copy[2] == 0);
#ifdef RACE
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    memcpy(copy, numbers, sizeof copy);
    pthread_join(thread, NULL);
#endif
    (void)work;
    return 0;
}
