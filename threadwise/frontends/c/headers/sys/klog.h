#ifndef __TW_SYS_KLOG_H
#define __TW_SYS_KLOG_H
int klogctl(int, char *, int);
#endif
