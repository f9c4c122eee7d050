#ifndef __TW_LIBGEN_H
#define __TW_LIBGEN_H
char *__xpg_basename(char *path);
#define basename __xpg_basename
char *dirname(char *path);
#endif
