// The id is overwritten with the record that it is in.

#include <pthread.h>
#include <stdlib.h>
int x;
void *f(void *p)
{
    x++;
    return 0;
}

void *g(void *p)
{
    x += 2;
    return 0;
}

struct s {
    pthread_t t;
    int n;
};

int main(int c, char **v)
{
    struct s a, b;
    pthread_create(&b.t,0,g,0);
    for (int i = 0; i < c; i++) {
        pthread_create(&a.t,0,f,0);
        a = b;
        pthread_join(a.t,0);
        x++;
    }
    return 0;
}
