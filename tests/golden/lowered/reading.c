#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct record { int key; char name[4]; pthread_mutex_t lock; };
struct record shared, rows[9];
char *word, line[30];
int width, written;
wchar_t wide[3];

int main(int argc, char **argv)
{
    char own[4] = "abc";
    word = strdup(argc > 1 ? argv[1] : "none");
    printf("%s %.*s %*d %5.2f %%\n", word, width, line, 4, argc, 1.5);
    printf("%.3s%s", word, own);
    printf("%d%n", 3, &written);
    printf("%ls", wide);
    printf(word, line);
    fputs(word, stderr);
    fwrite(&shared, sizeof shared, 1, stdout);
    fwrite(rows, sizeof *rows, width, stdout);
    write(1, line, 3);
    write(1, own, width);
    write(1, &width, sizeof width);
    if (sscanf(word, "%d %3s", &width, line) < 2)
        return system(line);
    char *home = getenv("HOME");
    if (home)
        puts(home);
    perror("end");
    free(word);
    return 0;
}
