struct pair { int a, b; };
struct big { int cells[40]; struct pair last; };
struct pair one = { 1, 2 }, two;
struct big large, copied;
_Atomic struct pair shared;
int n, grid[3][12];

static struct pair made(int a) { return (struct pair){ a, a + 1 }; }
static struct pair picked(int which) { if (which) return one; return two; }
static int of(struct pair p, struct big b) { return p.a + b.cells[3]; }

int main(void)
{
    struct pair p = n ? one : two;
    p = (n++, made(n));
    two = p = picked(n);
    one = ({ struct pair t = p; t.a++; t; });
    copied = large;
    struct big *at = &copied;
    *at = large;
    large.last = shared;
    shared = (struct pair){ .b = n };
    n = made(3).b + picked(0).a + (n ? p : one).a + of(p, *at);
    int (*row)[12] = grid + 1;
    (*row)[n] = row[1][2];
    int local[12] = { 1, [11] = 2 };
    for (int i = 0; i < 12; i++)
        grid[0][i] = local[i];
    const struct pair *all[2] = { &one, &two };
    (void)all[n & 1]->b;
    struct { struct { int x; }; union { int y; char z; }; } anonymous = { { 3 }, { .z = 1 } };
    return anonymous.x + anonymous.z + sizeof(struct big) + _Alignof(long) + _Generic(n, int : 1, default : 2);
}
