#ifndef __TW_UCHAR_H
#define __TW_UCHAR_H
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>
typedef unsigned char char8_t;
typedef uint_least16_t char16_t;
typedef uint_least32_t char32_t;
size_t mbrtoc8(char8_t *restrict, const char *restrict, size_t, mbstate_t *restrict);
size_t c8rtomb(char *restrict, char8_t, mbstate_t *restrict);
size_t mbrtoc16(char16_t *restrict, const char *restrict, size_t, mbstate_t *restrict);
size_t c16rtomb(char *restrict, char16_t, mbstate_t *restrict);
size_t mbrtoc32(char32_t *restrict, const char *restrict, size_t, mbstate_t *restrict);
size_t c32rtomb(char *restrict, char32_t, mbstate_t *restrict);
#endif
