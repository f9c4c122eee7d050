// BUG: races
#include <pthread.h>

int first;
void *f(void *p) { return (void *)(long)(first + (int)(long)p); }
int main(int argc, char **argv) {
#ifdef BUG
  unsigned char i = 0;
#else
  unsigned i = 0;
#endif
  for (int left = 257; left > 0; left--) {
    pthread_t id;
    if (i == 0) first = argc;
    pthread_create(&id, 0, f, (void *)(long)i);
    i++;
  }
  return 0;
}
