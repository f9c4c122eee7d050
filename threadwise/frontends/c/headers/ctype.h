#ifndef __TW_CTYPE_H
#define __TW_CTYPE_H
#include <time.h>
int isalnum(int c);
int isalpha(int c);
int isblank(int c);
int iscntrl(int c);
int isdigit(int c);
int isgraph(int c);
int islower(int c);
int isprint(int c);
int ispunct(int c);
int isspace(int c);
int isupper(int c);
int isxdigit(int c);
int tolower(int c);
int toupper(int c);
typedef struct __tw_locale *locale_t;
int isctype(int, int);
int isascii(int);
int toascii(int);
int isalnum_l(int, locale_t);
int isalpha_l(int, locale_t);
int isdigit_l(int, locale_t);
int isspace_l(int, locale_t);
int tolower_l(int, locale_t);
int toupper_l(int, locale_t);
#define _tolower(character) ((int)(character) + 32)
#define _toupper(character) ((int)(character) - 32)
#endif
