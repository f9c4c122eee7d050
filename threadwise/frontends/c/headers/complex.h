#ifndef __TW_COMPLEX_H
#define __TW_COMPLEX_H
#define complex _Complex
#define _Complex_I (__extension__ 1.0iF)
#define I _Complex_I
#define CMPLX(real, imaginary) ((double _Complex)((real) + I * (imaginary)))
double _Complex cacos(double _Complex value);
float _Complex cacosf(float _Complex value);
long double _Complex cacosl(long double _Complex value);
double _Complex casin(double _Complex value);
float _Complex casinf(float _Complex value);
long double _Complex casinl(long double _Complex value);
double _Complex catan(double _Complex value);
float _Complex catanf(float _Complex value);
long double _Complex catanl(long double _Complex value);
double _Complex ccos(double _Complex value);
float _Complex ccosf(float _Complex value);
long double _Complex ccosl(long double _Complex value);
double _Complex csin(double _Complex value);
float _Complex csinf(float _Complex value);
long double _Complex csinl(long double _Complex value);
double _Complex ctan(double _Complex value);
float _Complex ctanf(float _Complex value);
long double _Complex ctanl(long double _Complex value);
double _Complex cacosh(double _Complex value);
float _Complex cacoshf(float _Complex value);
long double _Complex cacoshl(long double _Complex value);
double _Complex casinh(double _Complex value);
float _Complex casinhf(float _Complex value);
long double _Complex casinhl(long double _Complex value);
double _Complex catanh(double _Complex value);
float _Complex catanhf(float _Complex value);
long double _Complex catanhl(long double _Complex value);
double _Complex ccosh(double _Complex value);
float _Complex ccoshf(float _Complex value);
long double _Complex ccoshl(long double _Complex value);
double _Complex csinh(double _Complex value);
float _Complex csinhf(float _Complex value);
long double _Complex csinhl(long double _Complex value);
double _Complex ctanh(double _Complex value);
float _Complex ctanhf(float _Complex value);
long double _Complex ctanhl(long double _Complex value);
double _Complex cexp(double _Complex value);
float _Complex cexpf(float _Complex value);
long double _Complex cexpl(long double _Complex value);
double _Complex clog(double _Complex value);
float _Complex clogf(float _Complex value);
long double _Complex clogl(long double _Complex value);
double _Complex csqrt(double _Complex value);
float _Complex csqrtf(float _Complex value);
long double _Complex csqrtl(long double _Complex value);
double _Complex conj(double _Complex value);
float _Complex conjf(float _Complex value);
long double _Complex conjl(long double _Complex value);
double _Complex cproj(double _Complex value);
float _Complex cprojf(float _Complex value);
long double _Complex cprojl(long double _Complex value);
double cabs(double _Complex value);
float cabsf(float _Complex value);
long double cabsl(long double _Complex value);
double carg(double _Complex value);
float cargf(float _Complex value);
long double cargl(long double _Complex value);
double cimag(double _Complex value);
float cimagf(float _Complex value);
long double cimagl(long double _Complex value);
double creal(double _Complex value);
float crealf(float _Complex value);
long double creall(long double _Complex value);
double _Complex cpow(double _Complex value, double _Complex power);
float _Complex cpowf(float _Complex value, float _Complex power);
long double _Complex cpowl(long double _Complex value, long double _Complex power);
#endif
