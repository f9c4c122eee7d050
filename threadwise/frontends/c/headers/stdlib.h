#ifndef __TW_STDLIB_H
#define __TW_STDLIB_H
#include <stdint.h>
#include <time.h>
#include <stddef.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *pointer, size_t size);
void *reallocarray(void *pointer, size_t count, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size);
void *valloc(size_t size);
int posix_memalign(void **result, size_t alignment, size_t size);
void free(void *pointer);
#define alloca(size) __builtin_alloca(size)
__attribute__((noreturn)) void exit(int status);
__attribute__((noreturn)) void _Exit(int status);
__attribute__((noreturn)) void quick_exit(int status);
__attribute__((noreturn)) void abort(void);
int atexit(void (*handler)(void));
int at_quick_exit(void (*handler)(void));
int rand(void);
int rand_r(unsigned int *seed);
void srand(unsigned int seed);
long random(void);
void srandom(unsigned int seed);
double drand48(void);
long lrand48(void);
void srand48(long seed);
int abs(int value);
long labs(long value);
long long llabs(long long value);
div_t div(int numerator, int denominator);
ldiv_t ldiv(long numerator, long denominator);
lldiv_t lldiv(long long numerator, long long denominator);
int atoi(const char *text);
long atol(const char *text);
long long atoll(const char *text);
double atof(const char *text);
long strtol(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
long long strtoll(const char *text, char **end, int base);
unsigned long long strtoull(const char *text, char **end, int base);
double strtod(const char *text, char **end);
float strtof(const char *text, char **end);
char *getenv(const char *name);
int setenv(const char *name, const char *value, int replace);
int system(const char *command);
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *));
void *bsearch(const void *key, const void *base, size_t count, size_t size,
              int (*compare)(const void *, const void *));
typedef struct __tw_locale *locale_t;
struct random_data {
    int32_t *fptr;
    int32_t *rptr;
    int32_t *state;
    int rand_type;
    int rand_deg;
    int rand_sep;
    int32_t *end_ptr;
};
struct drand48_data {
    unsigned short __x[3];
    unsigned short __old_x[3];
    unsigned short __c;
    unsigned short __init;
    unsigned long long __a;
};
typedef int (*comparison_fn_t)(const void *, const void *);
#define WSTOPPED 2
#define WEXITED 4
#define WCONTINUED 8
#define WNOWAIT 0x1000000
long double strtold(const char *restrict, char **restrict);
long long strtoq(const char *restrict, char **restrict, int);
unsigned long long strtouq(const char *restrict, char **restrict, int);
int strfromd(char *, size_t, const char *, double);
int strfromf(char *, size_t, const char *, float);
int strfroml(char *, size_t, const char *, long double);
long strtol_l(const char *restrict, char **restrict, int, locale_t);
unsigned long strtoul_l(const char *restrict, char **restrict, int, locale_t);
double strtod_l(const char *restrict, char **restrict, locale_t);
float strtof_l(const char *restrict, char **restrict, locale_t);
char *l64a(long);
long a64l(const char *);
char *initstate(unsigned int, char *, size_t);
char *setstate(char *);
int random_r(struct random_data *restrict, int32_t *restrict);
int srandom_r(unsigned int, struct random_data *);
int initstate_r(unsigned int, char *restrict, size_t, struct random_data *restrict);
int setstate_r(char *restrict, struct random_data *restrict);
double erand48(unsigned short [3]);
long nrand48(unsigned short [3]);
long mrand48(void);
long jrand48(unsigned short [3]);
unsigned short *seed48(unsigned short [3]);
void lcong48(unsigned short [7]);
int drand48_r(struct drand48_data *restrict, double *restrict);
int erand48_r(unsigned short [3], struct drand48_data *restrict, double *restrict);
int lrand48_r(struct drand48_data *restrict, long *restrict);
int nrand48_r(unsigned short [3], struct drand48_data *restrict, long *restrict);
int mrand48_r(struct drand48_data *restrict, long *restrict);
int jrand48_r(unsigned short [3], struct drand48_data *restrict, long *restrict);
int srand48_r(long, struct drand48_data *);
int seed48_r(unsigned short [3], struct drand48_data *);
int lcong48_r(unsigned short [7], struct drand48_data *);
uint32_t arc4random(void);
uint32_t arc4random_uniform(uint32_t bound);
int on_exit(void (*)(int, void *), void *);
char *secure_getenv(const char *name);
int putenv(char *);
int unsetenv(const char *name);
int clearenv(void);
char *mktemp(char *);
int mkstemp(char *path);
int mkstemp64(char *);
int mkstemps(char *, int);
int mkstemps64(char *, int);
char *mkdtemp(char *);
int mkostemp(char *, int);
int mkostemp64(char *, int);
int mkostemps(char *, int, int);
int mkostemps64(char *, int, int);
char *canonicalize_file_name(const char *);
char *realpath(const char *restrict path, char *restrict resolved);
void qsort_r(void *base, size_t count, size_t size, int (*ordering)(const void *, const void *,
    void *), void *argument);
char *ecvt(double, int, int *restrict, int *restrict);
char *fcvt(double, int, int *restrict, int *restrict);
char *gcvt(double, int, char *);
char *qecvt(long double, int, int *restrict, int *restrict);
char *qfcvt(long double, int, int *restrict, int *restrict);
char *qgcvt(long double, int, char *);
int ecvt_r(double, int, int *restrict, int *restrict, char *restrict, size_t);
int fcvt_r(double, int, int *restrict, int *restrict, char *restrict, size_t);
int qecvt_r(long double, int, int *restrict, int *restrict, char *restrict, size_t);
int qfcvt_r(long double, int, int *restrict, int *restrict, char *restrict, size_t);
int mblen(const char *, size_t);
int mbtowc(wchar_t *restrict, const char *restrict, size_t);
int wctomb(char *, wchar_t);
size_t mbstowcs(wchar_t *restrict, const char *restrict, size_t);
size_t wcstombs(char *restrict, const wchar_t *restrict, size_t);
int rpmatch(const char *);
int getsubopt(char **restrict, char *const *restrict, char **restrict);
int posix_openpt(int);
int grantpt(int);
int unlockpt(int);
char *ptsname(int);
int ptsname_r(int, char *, size_t);
int getpt(void);
#define WSTOPSIG(status) (((status) & 0xff00) >> 8)
size_t __ctype_get_mb_cur_max(void);
#define MB_CUR_MAX (__ctype_get_mb_cur_max())
int getloadavg(double averages[], int count);
void arc4random_buf(void *buffer, size_t size);
#endif
