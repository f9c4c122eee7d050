// Files are numbers; what is read from them is any value.
//
// expect assertions: SAFE
// expect -D SOME assertions: UNSAFE
// expect -D RACE races: UNSAFE

#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int shared[2];

static void *work(void *unused)
{
    read(0, shared, sizeof shared);
    return NULL;
}

static void others(FILE *file)
{
    char buffer[2];
    int ends[2];
    fdopen(1, "r");
    feof(file);
    ferror(file);
    clearerr(file);
    fileno(file);
    fseek(file, 0, SEEK_SET);
    ftell(file);
    rewind(file);
    ungetc('c', file);
    remove("x");
    rename("x", "y");
    pread(0, buffer, 2, 0);
    pwrite(1, buffer, 2, 0);
    if (pipe(ends) == 0)
        assert(ends[0] != ends[1]);
    creat("x", 0);
    access("x", R_OK);
    unlink("x");
    mkdir("x", 0);
    chmod("x", 0);
}

int main(void)
{
#ifdef RACE
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    shared[0] = 1;
    pthread_join(thread, NULL);
#else
    char one = 'x', two = 'y';
    int file = open("x", O_RDONLY);
    ssize_t count = read(file, &one, 1);
    assert(count >= -1 && count <= 1);
    assert(count == 1 || one == 'x');
    assert(two == 'y');
#ifdef SOME
    assert(one != 'q');
#endif
    FILE *stream = fopen("x", "r");
    if (stream)
        assert(fclose(stream) || stream);
#endif
    (void)work;
    (void)others;
    return 0;
}
