#ifndef __TW_DLFCN_H
#define __TW_DLFCN_H
#include <stddef.h>
typedef long Lmid_t;
typedef struct {
    const char *dli_fname;
    void *dli_fbase;
    const char *dli_sname;
    void *dli_saddr;
} Dl_info;
typedef struct { char *dls_name; unsigned int dls_flags; } Dl_serpath;
typedef struct {
    size_t dls_size;
    unsigned int dls_cnt;
    union {
        Dl_serpath dls_serpath[0];
        Dl_serpath __dls_serpath_pad[1];
    };
} Dl_serinfo;
#define RTLD_LAZY 0x1
#define RTLD_NOW 0x2
#define RTLD_BINDING_MASK 0x3
#define RTLD_NOLOAD 0x4
#define RTLD_DEEPBIND 0x8
#define RTLD_GLOBAL 0x100
#define RTLD_LOCAL 0
#define RTLD_NODELETE 0x1000
#define DLFO_STRUCT_HAS_EH_DBASE 0
#define DLFO_STRUCT_HAS_EH_COUNT 0
#define LM_ID_BASE 0
#define LM_ID_NEWLM (-1)
#define RTLD_DL_SYMENT 1
#define RTLD_DL_LINKMAP 2
#define RTLD_DI_LMID 1
#define RTLD_DI_LINKMAP 2
#define RTLD_DI_CONFIGADDR 3
#define RTLD_DI_SERINFO 4
#define RTLD_DI_SERINFOSIZE 5
#define RTLD_DI_ORIGIN 6
#define RTLD_DI_PROFILENAME 7
#define RTLD_DI_PROFILEOUT 8
#define RTLD_DI_TLS_MODID 9
#define RTLD_DI_TLS_DATA 10
#define RTLD_DI_PHDR 11
#define RTLD_DI_MAX 11
void *dlopen(const char *, int);
int dlclose(void *);
void *dlsym(void *restrict, const char *restrict);
void *dlmopen(Lmid_t, const char *, int);
void *dlvsym(void *restrict, const char *restrict, const char *restrict);
char *dlerror(void);
int dladdr(const void *, Dl_info *);
int dladdr1(const void *, Dl_info *, void **, int);
int dlinfo(void *restrict, int, void *restrict);
#define RTLD_NEXT ((void *)-1L)
#define RTLD_DEFAULT ((void *)0)
#endif
