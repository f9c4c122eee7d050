#ifndef __TW_SYS_VT_H
#define __TW_SYS_VT_H
#endif
