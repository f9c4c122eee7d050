#ifndef __TW_ERROR_H
#define __TW_ERROR_H
void error(int status, int number, const char *format, ...);
#endif
