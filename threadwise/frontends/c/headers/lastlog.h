#ifndef __TW_LASTLOG_H
#define __TW_LASTLOG_H
#endif
