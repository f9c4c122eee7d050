#include <assert.h>
#include <stdint.h>
#include <string.h>
struct wide { char bytes[16]; int tail; };
struct flexible { int length; int items[]; };
int list[4];
float f;

int main(void)
{
    struct wide w = { { 0 } };
    int *p = list + 1;
    uintptr_t number = (uintptr_t)p;
    char *raw = (char *)list;
    raw[5] = 3;
    *(short *)w.bytes = 7;
    memcpy(w.bytes + 1, list, 6);
    p = (int *)(number + 4);
    f = f / 3.0f;
    list[(int)f] = *p;
    void *label = &&there;
    goto *label;
there:
    assert(list[2] == 0);
    struct flexible *some = (struct flexible *)list;
    some->items[1] = some->length;
    __int128 large = 1;
    return (int)(large << 3) + w.tail;
}
