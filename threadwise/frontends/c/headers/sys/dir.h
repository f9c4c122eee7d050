#ifndef __TW_SYS_DIR_H
#define __TW_SYS_DIR_H
#include <dirent.h>
#endif
