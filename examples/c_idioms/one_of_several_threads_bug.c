// One of several readers is started, whichever the source is; it is joined before the next round.
// Wrong here: one of them is not joined.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdlib.h>

struct sound {
    int rate;
    int samples;
};

static struct sound sound;

static void *from_file(void *argument)
{
    struct sound *s = argument;
    s->samples += s->rate;
    return NULL;
}

static void *from_pipe(void *argument)
{
    struct sound *s = argument;
    s->samples += 2 * s->rate;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t reader;
    for (int round = 0; round < argc; round++) {
        sound.rate = round;
        switch (argv[round][0]) {
        case 'f':
            if (pthread_create(&reader, NULL, from_file, &sound) != 0)
                abort();
            break;
        case 'p':
            if (pthread_create(&reader, NULL, from_pipe, &sound) != 0)
                abort();
            continue;
        default:
            return 1;
        }
        pthread_join(reader, NULL);
        sound.samples++;
    }
    return 0;
}
