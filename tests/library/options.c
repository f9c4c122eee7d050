// Options are found where they are, also behind other arguments, which are moved to the end.
//
// expect assertions: SAFE
// expect -D LONG assertions: SAFE
// expect -D ONLY assertions: SAFE

#define _GNU_SOURCE
#include <assert.h>
#include <getopt.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

int getopt(int count, char *const texts[], const char *options);
int getopt_long(int count, char *const texts[], const char *options, const struct option *names, int *index);
int getopt_long_only(int count, char *const texts[], const char *options, const struct option *names, int *index);

static int flag;
static const struct option names[] = {
    {"verbose", no_argument, NULL, 'v'},
    {"output", required_argument, NULL, 'o'},
    {"level", optional_argument, NULL, 'l'},
    {"lever", no_argument, &flag, 7},
    {NULL, 0, NULL, 0},
};

static int is(const char *text, const char *wanted)
{
    return text != NULL && strcmp(text, wanted) == 0;
}

#if !defined(LONG) && !defined(ONLY)
static void moved(void)
{
    char *texts[] = {"p", "one", "-ab", "two", "-o", "file", "-x", "three", NULL};

    optind = 0;
    opterr = 0;
    assert(getopt(8, texts, "abo:") == 'a');
    assert(optind == 2);
    assert(getopt(8, texts, "abo:") == 'b');
    assert(getopt(8, texts, "abo:") == 'o' && is(optarg, "file"));
    assert(getopt(8, texts, "abo:") == '?' && optopt == 'x');
    assert(getopt(8, texts, "abo:") == -1);
    assert(optind == 5);
    assert(is(texts[1], "-ab") && is(texts[2], "-o") && is(texts[3], "file") && is(texts[4], "-x"));
    assert(is(texts[5], "one") && is(texts[6], "two") && is(texts[7], "three"));
}

static void ended(void)
{
    char *texts[] = {"p", "one", "-a", "--", "-b", NULL};
    char *strict[] = {"p", "-a", "one", "-b", NULL};
    char *each[] = {"p", "one", "-a", NULL};
    char *short_of[] = {"p", "-o", NULL};

    optind = 0;
    assert(getopt(5, texts, "ab") == 'a');
    assert(getopt(5, texts, "ab") == -1);
    assert(optind == 3 && is(texts[1], "-a") && is(texts[2], "--") && is(texts[3], "one") && is(texts[4], "-b"));
    optind = 0;
    assert(getopt(4, strict, "+ab") == 'a');
    assert(getopt(4, strict, "+ab") == -1);
    assert(optind == 2 && is(strict[2], "one"));
    optind = 0;
    assert(getopt(3, each, "-ab") == 1 && is(optarg, "one"));
    assert(getopt(3, each, "-ab") == 'a');
    assert(getopt(3, each, "-ab") == -1);
    optind = 0;
    assert(getopt(2, short_of, ":o:") == ':' && optopt == 'o');
}
#endif

#if defined(LONG)
static void long_names(void)
{
    char *texts[] = {"p", "one", "--verbose", "--out=a", "--output", "b", "-v", "--level", "--lever", "--lev", NULL};
    char *wrong[] = {"p", "--verbose=1", "--none", "--output", NULL};
    int index = -1;

    optind = 0;
    opterr = 0;
    assert(getopt_long(10, texts, "v", names, &index) == 'v' && index == 0 && optarg == NULL);
    assert(getopt_long(10, texts, "v", names, &index) == 'o' && index == 1 && is(optarg, "a"));
    assert(getopt_long(10, texts, "v", names, &index) == 'o' && is(optarg, "b"));
    assert(getopt_long(10, texts, "v", names, &index) == 'v');
    assert(getopt_long(10, texts, "v", names, &index) == 'l' && index == 2 && optarg == NULL);
    assert(getopt_long(10, texts, "v", names, &index) == 0 && flag == 7);
    assert(getopt_long(10, texts, "v", names, &index) == '?');
    assert(getopt_long(10, texts, "v", names, &index) == -1);
    assert(optind == 9 && is(texts[9], "one"));
    optind = 0;
    assert(getopt_long(4, wrong, "v", names, NULL) == '?' && optopt == 'v');
    assert(getopt_long(4, wrong, "v", names, NULL) == '?' && optopt == 0);
    assert(getopt_long(4, wrong, "v", names, NULL) == '?' && optopt == 'o');
}
#endif

#if defined(ONLY)
static void one_dash(void)
{
    char *texts[] = {"p", "-verb", "-v", "-output", "b", "-nv", "--none", NULL};

    optind = 0;
    opterr = 0;
    assert(getopt_long_only(7, texts, "vn", names, NULL) == 'v');
    assert(getopt_long_only(7, texts, "vn", names, NULL) == 'v');
    assert(getopt_long_only(7, texts, "vn", names, NULL) == 'o' && is(optarg, "b"));
    assert(getopt_long_only(7, texts, "vn", names, NULL) == 'n');
    assert(getopt_long_only(7, texts, "vn", names, NULL) == 'v');
    assert(getopt_long_only(7, texts, "vn", names, NULL) == '?' && optopt == 0);
    assert(getopt_long_only(7, texts, "vn", names, NULL) == -1);
}
#endif

int main(void)
{
#if defined(LONG)
    long_names();
#elif defined(ONLY)
    one_dash();
#else
    moved();
    ended();
#endif
    (void)names;
    return 0;
}
