#ifndef __TW_LOCALE_H
#define __TW_LOCALE_H
#define LC_CTYPE 0
#define LC_NUMERIC 1
#define LC_ALL 6
char *setlocale(int category, const char *locale);
#endif
