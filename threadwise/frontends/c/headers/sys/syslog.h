#ifndef __TW_SYS_SYSLOG_H
#define __TW_SYS_SYSLOG_H
#include <syslog.h>
#endif
