#ifndef __TW_STDNORETURN_H
#define __TW_STDNORETURN_H
#define noreturn _Noreturn
#endif
