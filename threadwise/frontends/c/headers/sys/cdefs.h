#ifndef __TW_SYS_CDEFS_H
#define __TW_SYS_CDEFS_H
#define __BEGIN_DECLS
#define __END_DECLS
#define __P(arguments) arguments
#define __THROW
#endif
