// Texts are computed; what has a static buffer races.
//
// expect assertions: SAFE
// expect -D SIGNAL races: UNSAFE
// expect -D DIGITS races: UNSAFE
// expect -D OVER assertions: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <search.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

void *__rawmemchr(const void *text, int byte);
long __strtol_internal(const char *text, char **end, int base, int group);

static void mentioned(void)
{
    (void)strsep;
    (void)strlcpy;
    (void)strlcat;
    (void)stpncpy;
    (void)memccpy;
    (void)memrchr;
    (void)rawmemchr;
    (void)__rawmemchr;
    (void)strchrnul;
    (void)strcasestr;
    (void)memmem;
    (void)index;
    (void)rindex;
    (void)bcmp;
    (void)explicit_bzero;
    (void)strxfrm;
    (void)strverscmp;
    (void)swab;
    (void)strcasecmp_l;
    (void)strncasecmp_l;
    (void)strerror_r;
    (void)__xpg_strerror_r;
    (void)strerror_l;
    (void)strerrorname_np;
    (void)strerrordesc_np;
    (void)sigabbrev_np;
    (void)sigdescr_np;
    (void)strsignal;
    (void)isascii;
    (void)toascii;
    (void)isalpha_l;
    (void)isdigit_l;
    (void)isspace_l;
    (void)isalnum_l;
    (void)toupper_l;
    (void)tolower_l;
    (void)imaxabs;
    (void)imaxdiv;
    (void)lldiv;
    (void)strtoimax;
    (void)strtoumax;
    (void)strtoq;
    (void)strtouq;
    (void)strtol_l;
    (void)strtoul_l;
    (void)__strtol_internal;
    (void)strtod;
    (void)strtof;
    (void)strtold;
    (void)strtod_l;
    (void)strtof_l;
    (void)a64l;
    (void)l64a;
    (void)ecvt;
    (void)ecvt_r;
    (void)fcvt;
    (void)fcvt_r;
    (void)gcvt;
    (void)insque;
    (void)remque;
    (void)strfromd;
    (void)strfromf;
    (void)strfroml;
}

static void *work(void *unused)
{
#ifdef SIGNAL
    strsignal(SIGINT);
#elif defined(DIGITS)
    int point, sign;
    ecvt(1.5, 3, &point, &sign);
#endif
    return unused;
}

int main(void)
{
#if defined(SIGNAL)
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
#elif defined(DIGITS)
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
#elif defined(OVER)
    char small[3];
    assert(strlcpy(small, "abcd", sizeof small) == 3);
#else
    char text[] = "a::b", *rest = text, copy[8], small[3];
    assert(strsep(&rest, ":") == text && *text == 'a' && rest == text + 2);
    assert(*strsep(&rest, ":") == 0 && *rest == 'b');
    assert(*strsep(&rest, ":") == 'b' && rest == 0 && strsep(&rest, ":") == 0);
    assert(strlcpy(small, "abcd", sizeof small) == 4 && small[1] == 'b' && small[2] == 0);
    assert(strlcat(small, "xy", sizeof small) == 4 && strlcat(small, "xy", 1) == 3);
    assert(stpncpy(copy, "ab", 4) == copy + 2 && copy[3] == 0);
    assert(memccpy(copy, "xyz", 'y', 3) == copy + 2 && memccpy(copy, "xyz", 'q', 3) == 0);
    assert(memrchr("abab", 'a', 4) != 0 && *((char *)memrchr("abac", 'a', 4) + 1) == 'c');
    assert(*(char *)rawmemchr("abc", 'c') == 'c' && *strchrnul("abc", 'x') == 0);
    assert(*strcasestr("xAbC", "bc") == 'b' && strcasestr("abc", "d") == 0);
    assert(*(char *)memmem("abcd", 4, "cd", 2) == 'c' && memmem("ab", 2, "abc", 3) == 0);
    assert(*index("abc", 'b') == 'b' && *rindex("abcb", 'b') == 'b' && rindex("abcb", 'b')[1] == 0);
    assert(bcmp("ab", "ab", 2) == 0 && bcmp("ab", "ac", 2) != 0);
    explicit_bzero(copy, sizeof copy);
    assert(copy[0] == 0 && copy[7] == 0);
    assert(strxfrm(copy, "abc", 8) == 3 && copy[2] == 'c' && strcmp(copy, "abc") == 0);
    swab("abcd", copy, 4);
    assert(copy[0] == 'b' && copy[1] == 'a' && copy[3] == 'c');
    assert(isascii(127) && !isascii(128) && toascii(0x1c1) == 'A');
    assert(imaxabs(-7) == 7 && lldiv(-7, 2).rem == -1 && imaxdiv(7, 2).quot == 3);
    assert(strtoimax("-12", NULL, 10) == -12 && strtoumax("ff", NULL, 16) == 255);
    char bits[3] = "ab";
    assert(memfrob(bits, 2) == bits && bits[0] == ('a' ^ 42) && bits[1] == ('b' ^ 42) && bits[2] == 0);
    struct qelem first, second, third;
    insque(&first, NULL);
    insque(&third, &first);
    insque(&second, &first);
    assert(first.q_forw == &second && second.q_forw == &third && third.q_back == &second);
    remque(&second);
    assert(first.q_forw == &third && third.q_back == &first);
#endif
    (void)mentioned;
    return 0;
}
