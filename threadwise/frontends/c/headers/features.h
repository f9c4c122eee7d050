#ifndef __TW_FEATURES_H
#define __TW_FEATURES_H
#if defined _GNU_SOURCE || defined _DEFAULT_SOURCE || defined _BSD_SOURCE || defined _SVID_SOURCE
#define __USE_MISC 1
#elif !defined __STRICT_ANSI__ && !defined _ISOC99_SOURCE && !defined _ISOC11_SOURCE \
    && !defined _POSIX_SOURCE && !defined _POSIX_C_SOURCE && !defined _XOPEN_SOURCE
#define __USE_MISC 1
#endif
#endif
