// The id is stored by a pointer that may lead to another variable than the one joined.

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

int main(int c, char **v)
{
    pthread_t t, u;
    pthread_t *p = c > 2 ? &t : &u;
    for (int i = 0; i < c; i++) {
        pthread_create(p,0,f,0);
        pthread_join(t,0);
        x++;
    }
    return 0;
}
