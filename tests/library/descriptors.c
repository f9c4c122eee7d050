// Open files have numbers of their own: the lowest that is free.
//
// expect assertions: SAFE
// expect -D AGAIN assertions: UNSAFE
// expect -D STREAM assertions: UNSAFE
// expect -D STREAMS assertions: UNSAFE

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void)
{
    int first = open("a", O_RDONLY);
    if (first < 0)
        return 1;
#if defined(AGAIN)
    close(first);
    int other = socket(AF_INET, SOCK_STREAM, 0);
    assert(other != first);
#elif defined(STREAM) || defined(STREAMS)
#ifdef STREAMS
    FILE *stays = fopen("c", "r");
    if (!stays)
        return 1;
#endif
    FILE *stream = fopen("b", "r");
    if (!stream)
        return 1;
    int second = open("a", O_RDONLY);
    fclose(stream);
    int third = open("a", O_RDONLY);
    assert(second < 0 || third < 0 || third > second);
#else
    int second = dup(first);
    assert(second != first && dup(-1) < 0);
    int ends[2];
    if (second >= 0 && pipe(ends) == 0) {
        assert(ends[0] != ends[1] && ends[0] != first && ends[1] != second);
        close(ends[0]);
        assert(dup2(0, ends[0]) != second);
        int third = accept(first, 0, 0);
        assert(third < 0 || (third != first && third != second && third != ends[1]));
    }
    closefrom(3);
    int last = creat("a", 0600);
    assert(last < 0 || last == 3);
#endif
    return 0;
}
