#ifndef __TW_ERROR_H
#define __TW_ERROR_H
void error(int status, int number, const char *format, ...);
extern void (*error_print_progname)(void);
extern unsigned int error_message_count;
extern int error_one_per_line;
void error_at_line(int, int, const char *, unsigned int, const char *, ...);
#endif
