#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
char line[8];

int main(int argc, char *argv[])
{
    char own[] = "ab\tc", copied[12];
    const char *at = strchr(own, 'b');
    int length = (int)strlen(own), number = 0;
    strcpy(copied, own);
    snprintf(line, sizeof line, "%d-%s", length, at);
    printf("%s %ld\n", line, (long)length);
    if (scanf("%d", &number) == 1)
        puts(line);
    if (argc > 1 && !strcmp(argv[1], "all"))
        number = atoi(argv[1]);
    assert(memcmp(own, "ab", 2) == 0);
    return copied[number & 3] == 'A';
}
