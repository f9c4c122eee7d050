#ifndef __TW_FNMATCH_H
#define __TW_FNMATCH_H
#define FNM_NOMATCH 1
#define FNM_PATHNAME 1
#define FNM_PERIOD 4
int fnmatch(const char *pattern, const char *text, int flags);
#define FNM_NOESCAPE 2
#define FNM_FILE_NAME 1
#define FNM_LEADING_DIR 8
#define FNM_CASEFOLD 16
#define FNM_EXTMATCH 32
#endif
