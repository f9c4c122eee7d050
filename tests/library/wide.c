// Wide texts are computed; conversions are not, and those without a state race.
//
// expect assertions: SAFE
// expect -D SHIFT races: UNSAFE
// expect -D OWN races: SAFE
// expect -D OVER assertions: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <wchar.h>
#include <wctype.h>

static void mentioned(void)
{
    (void)__ctype_get_mb_cur_max;
    (void)wcslen;
    (void)wcsnlen;
    (void)wcscpy;
    (void)wcpcpy;
    (void)wcsncpy;
    (void)wcscat;
    (void)wcsncat;
    (void)wcscmp;
    (void)wcscoll;
    (void)wcsncmp;
    (void)wcschr;
    (void)wcsrchr;
    (void)wcsstr;
    (void)wcsspn;
    (void)wcscspn;
    (void)wcspbrk;
    (void)wcstok;
    (void)wcsdup;
    (void)wmemcpy;
    (void)wmemmove;
    (void)wmemset;
    (void)wmemcmp;
    (void)wmemchr;
    (void)iswalnum;
    (void)iswalpha;
    (void)iswblank;
    (void)iswcntrl;
    (void)iswdigit;
    (void)iswgraph;
    (void)iswlower;
    (void)iswprint;
    (void)iswpunct;
    (void)iswspace;
    (void)iswupper;
    (void)iswxdigit;
    (void)towlower;
    (void)towupper;
    (void)btowc;
    (void)wctob;
    (void)wcwidth;
    (void)wcswidth;
    (void)mbsinit;
    (void)mblen;
    (void)mbtowc;
    (void)wctomb;
    (void)mbrlen;
    (void)mbrtowc;
    (void)wcrtomb;
    (void)mbstowcs;
    (void)wcstombs;
    (void)mbsrtowcs;
    (void)wcsrtombs;
    (void)wcstol;
    (void)wcstoul;
    (void)wcstoll;
    (void)wcstoull;
    (void)wcstod;
    (void)wprintf;
    (void)fwprintf;
    (void)vwprintf;
    (void)vfwprintf;
    (void)swprintf;
    (void)vswprintf;
    (void)fgetwc;
    (void)getwc;
    (void)getwchar;
    (void)fputwc;
    (void)putwc;
    (void)putwchar;
    (void)ungetwc;
    (void)fputws;
    (void)fgetws;
    (void)fwide;
    (void)wcsftime;
    (void)wcsxfrm;
    (void)wcscasecmp;
}

static void *work(void *unused)
{
#ifdef SHIFT
    mblen("a", 1);
#elif defined(OWN)
    mbstate_t state = { 0 };
    wchar_t character;
    mbrtowc(&character, "a", 1, &state);
#endif
    return unused;
}

int main(void)
{
#if defined(SHIFT)
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
#elif defined(OWN)
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
#elif defined(OVER)
    assert(wcslen(L"abc") == 2);
#else
    wchar_t text[8], words[] = L"a,b", *state;
    assert(wcslen(L"abc") == 3 && wcsnlen(L"abc", 2) == 2);
    assert(wcscmp(wcscpy(text, L"ab"), L"ab") == 0 && wcscmp(L"a", L"b") < 0);
    assert(wcslen(wcscat(text, L"cd")) == 4 && wcsncmp(text, L"abX", 2) == 0);
    assert(*wcschr(text, L'c') == L'c' && wcschr(text, L'x') == NULL);
    assert(*wcsrchr(text, L'a') == L'a' && *wcsstr(text, L"bc") == L'b');
    assert(wcsspn(L"aab", L"a") == 2 && wcscspn(L"aab", L"b") == 2);
    assert(*wcstok(words, L",", &state) == L'a' && *wcstok(NULL, L",", &state) == L'b');
    assert(wcstok(NULL, L",", &state) == NULL);
    wmemset(text, L'z', 3);
    assert(text[2] == L'z' && wmemcmp(text, L"zza", 3) > 0 && *wmemchr(text, L'z', 3) == L'z');
    wmemcpy(text, L"xy", 3);
    assert(wcscmp(text, L"xy") == 0 && *wcpcpy(text, L"q") == 0);
    wcsncpy(text, L"abc", 2);
    assert(text[1] == L'b' && *wcspbrk(L"abc", L"cb") == L'b');
#endif
    (void)mentioned;
    return 0;
}
