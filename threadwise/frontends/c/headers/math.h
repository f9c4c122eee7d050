#ifndef __TW_MATH_H
#define __TW_MATH_H
#include <stdint.h>
#define HUGE_VAL __builtin_huge_val()
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define M_E 2.7182818284590452354
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_SQRT2 1.41421356237309504880
typedef float float_t;
typedef double double_t;
double acos(double x);
float acosf(float x);
double asin(double x);
float asinf(float x);
double atan(double x);
float atanf(float x);
double cos(double x);
float cosf(float x);
double sin(double x);
float sinf(float x);
double tan(double x);
float tanf(float x);
double acosh(double x);
float acoshf(float x);
double asinh(double x);
float asinhf(float x);
double atanh(double x);
float atanhf(float x);
double cosh(double x);
float coshf(float x);
double sinh(double x);
float sinhf(float x);
double tanh(double x);
float tanhf(float x);
double exp(double x);
float expf(float x);
double exp2(double x);
float exp2f(float x);
double expm1(double x);
float expm1f(float x);
double log(double x);
float logf(float x);
double log10(double x);
float log10f(float x);
double log2(double x);
float log2f(float x);
double log1p(double x);
float log1pf(float x);
double logb(double x);
float logbf(float x);
double sqrt(double x);
float sqrtf(float x);
double cbrt(double x);
float cbrtf(float x);
double fabs(double x);
float fabsf(float x);
double ceil(double x);
float ceilf(float x);
double floor(double x);
float floorf(float x);
double trunc(double x);
float truncf(float x);
double round(double x);
float roundf(float x);
double rint(double x);
float rintf(float x);
double nearbyint(double x);
float nearbyintf(float x);
double erf(double x);
float erff(float x);
double erfc(double x);
float erfcf(float x);
double tgamma(double x);
float tgammaf(float x);
double lgamma(double x);
float lgammaf(float x);
double atan2(double x, double y);
float atan2f(float x, float y);
double pow(double x, double y);
float powf(float x, float y);
double hypot(double x, double y);
float hypotf(float x, float y);
double fmod(double x, double y);
float fmodf(float x, float y);
double remainder(double x, double y);
float remainderf(float x, float y);
double copysign(double x, double y);
float copysignf(float x, float y);
double nextafter(double x, double y);
float nextafterf(float x, float y);
double fdim(double x, double y);
float fdimf(float x, float y);
double fmax(double x, double y);
float fmaxf(float x, float y);
double fmin(double x, double y);
float fminf(float x, float y);
double fma(double x, double y, double z);
double ldexp(double x, int e);
double frexp(double x, int *e);
double modf(double x, double *whole);
long lround(double x);
long lrint(double x);
long long llround(double x);
long long llrint(double x);
int __library_isnan(double x);
int __library_isinf(double x);
int __library_isfinite(double x);
#define isnan(x) __library_isnan(x)
#define isinf(x) __library_isinf(x)
#define isfinite(x) __library_isfinite(x)
#define FP_ILOGB0 (-2147483647 - 1)
#define FP_ILOGBNAN (-2147483647 - 1)
#define FP_LLOGB0 (-9223372036854775808L)
#define FP_LLOGBNAN (-9223372036854775808L)
#define FP_INT_UPWARD 0
#define FP_INT_DOWNWARD 1
#define FP_INT_TOWARDZERO 2
#define FP_INT_TONEARESTFROMZERO 3
#define FP_INT_TONEAREST 4
#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
#define MATH_ERRNO 1
#define MATH_ERREXCEPT 2
#define math_errhandling 3
extern int signgam;
void sincos(double, double *, double *);
double exp10(double);
int isinf(double);
int finite(double);
double drem(double, double);
double significand(double);
double nan(const char *);
int isnan(double);
double j0(double);
double j1(double);
double jn(int, double);
double y0(double);
double y1(double);
double yn(int, double);
double gamma(double);
double lgamma_r(double, int *);
double nexttoward(double, long double);
double nextdown(double);
double nextup(double);
double scalbn(double, int);
int ilogb(double);
long llogb(double);
double scalbln(double, long);
double remquo(double, double, int *);
double roundeven(double);
intmax_t fromfp(double, int, unsigned int);
uintmax_t ufromfp(double, int, unsigned int);
intmax_t fromfpx(double, int, unsigned int);
uintmax_t ufromfpx(double, int, unsigned int);
int canonicalize(double *, const double *);
double fmaxmag(double, double);
double fminmag(double, double);
double fmaximum(double, double);
double fminimum(double, double);
double fmaximum_num(double, double);
double fminimum_num(double, double);
double fmaximum_mag(double, double);
double fminimum_mag(double, double);
double fmaximum_mag_num(double, double);
double fminimum_mag_num(double, double);
int totalorder(const double *, const double *);
int totalordermag(const double *, const double *);
double getpayload(const double *);
int setpayload(double *, double);
int setpayloadsig(double *, double);
double scalb(double, double);
void sincosf(float, float *, float *);
float frexpf(float, int *);
float ldexpf(float, int);
float modff(float, float *);
float exp10f(float);
int isinff(float);
int finitef(float);
float dremf(float, float);
float significandf(float);
float nanf(const char *);
int isnanf(float);
float j0f(float);
float j1f(float);
float jnf(int, float);
float y0f(float);
float y1f(float);
float ynf(int, float);
float gammaf(float);
float lgammaf_r(float, int *);
float nexttowardf(float, long double);
float nextdownf(float);
float nextupf(float);
float scalbnf(float, int);
int ilogbf(float);
long llogbf(float);
float scalblnf(float, long);
float remquof(float, float, int *);
long lrintf(float);
long long llrintf(float);
long lroundf(float);
long long llroundf(float);
float fmaf(float, float, float);
float roundevenf(float);
intmax_t fromfpf(float, int, unsigned int);
uintmax_t ufromfpf(float, int, unsigned int);
intmax_t fromfpxf(float, int, unsigned int);
uintmax_t ufromfpxf(float, int, unsigned int);
int canonicalizef(float *, const float *);
float fmaxmagf(float, float);
float fminmagf(float, float);
float fmaximumf(float, float);
float fminimumf(float, float);
float fmaximum_numf(float, float);
float fminimum_numf(float, float);
float fmaximum_magf(float, float);
float fminimum_magf(float, float);
float fmaximum_mag_numf(float, float);
float fminimum_mag_numf(float, float);
int totalorderf(const float *, const float *);
int totalordermagf(const float *, const float *);
float getpayloadf(const float *);
int setpayloadf(float *, float);
int setpayloadsigf(float *, float);
float scalbf(float, float);
long double acosl(long double);
long double asinl(long double);
long double atanl(long double);
long double atan2l(long double, long double);
long double cosl(long double);
long double sinl(long double);
long double tanl(long double);
long double coshl(long double);
long double sinhl(long double);
long double tanhl(long double);
void sincosl(long double, long double *, long double *);
long double acoshl(long double);
long double asinhl(long double);
long double atanhl(long double);
long double expl(long double);
long double frexpl(long double, int *);
long double ldexpl(long double, int);
long double logl(long double);
long double log10l(long double);
long double modfl(long double, long double *);
long double exp10l(long double);
long double expm1l(long double);
long double log1pl(long double);
long double logbl(long double);
long double exp2l(long double);
long double log2l(long double);
long double powl(long double, long double);
long double sqrtl(long double);
long double hypotl(long double, long double);
long double cbrtl(long double);
long double ceill(long double);
long double fabsl(long double);
long double floorl(long double);
long double fmodl(long double, long double);
int isinfl(long double);
int finitel(long double);
long double dreml(long double, long double);
long double significandl(long double);
long double copysignl(long double, long double);
long double nanl(const char *);
int isnanl(long double);
long double j0l(long double);
long double j1l(long double);
long double jnl(int, long double);
long double y0l(long double);
long double y1l(long double);
long double ynl(int, long double);
long double erfl(long double);
long double erfcl(long double);
long double lgammal(long double);
long double tgammal(long double);
long double gammal(long double);
long double lgammal_r(long double, int *);
long double rintl(long double);
long double nextafterl(long double, long double);
long double nexttowardl(long double, long double);
long double nextdownl(long double);
long double nextupl(long double);
long double remainderl(long double, long double);
long double scalbnl(long double, int);
int ilogbl(long double);
long llogbl(long double);
long double scalblnl(long double, long);
long double nearbyintl(long double);
long double roundl(long double);
long double truncl(long double);
long double remquol(long double, long double, int *);
long lrintl(long double);
long long llrintl(long double);
long lroundl(long double);
long long llroundl(long double);
long double fdiml(long double, long double);
long double fmaxl(long double, long double);
long double fminl(long double, long double);
long double fmal(long double, long double, long double);
long double roundevenl(long double);
intmax_t fromfpl(long double, int, unsigned int);
uintmax_t ufromfpl(long double, int, unsigned int);
intmax_t fromfpxl(long double, int, unsigned int);
uintmax_t ufromfpxl(long double, int, unsigned int);
int canonicalizel(long double *, const long double *);
long double fmaxmagl(long double, long double);
long double fminmagl(long double, long double);
long double fmaximuml(long double, long double);
long double fminimuml(long double, long double);
long double fmaximum_numl(long double, long double);
long double fminimum_numl(long double, long double);
long double fmaximum_magl(long double, long double);
long double fminimum_magl(long double, long double);
long double fmaximum_mag_numl(long double, long double);
long double fminimum_mag_numl(long double, long double);
int totalorderl(const long double *, const long double *);
int totalordermagl(const long double *, const long double *);
long double getpayloadl(const long double *);
int setpayloadl(long double *, long double);
int setpayloadsigl(long double *, long double);
long double scalbl(long double, long double);
float lgammaf32_r(float, int *);
double lgammaf64_r(double, int *);
double lgammaf32x_r(double, int *);
long double lgammaf64x_r(long double, int *);
float fadd(double, double);
float fdiv(double, double);
float ffma(double, double, double);
float fmul(double, double);
float fsqrt(double);
float fsub(double, double);
float faddl(long double, long double);
float fdivl(long double, long double);
float ffmal(long double, long double, long double);
float fmull(long double, long double);
float fsqrtl(long double);
float fsubl(long double, long double);
double daddl(long double, long double);
double ddivl(long double, long double);
double dfmal(long double, long double, long double);
double dmull(long double, long double);
double dsqrtl(long double);
double dsubl(long double, long double);
#define HUGE_VALF __builtin_huge_valf()
#define HUGE_VALL ((long double)__builtin_huge_val())
#define MAXFLOAT 3.40282347e+38F
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT1_2 0.70710678118654752440
#endif
