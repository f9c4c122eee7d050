#ifndef __TW_SYS_KD_H
#define __TW_SYS_KD_H
#endif
