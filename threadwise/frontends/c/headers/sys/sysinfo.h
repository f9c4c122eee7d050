#ifndef __TW_SYS_SYSINFO_H
#define __TW_SYS_SYSINFO_H
struct sysinfo {
    long uptime;
    unsigned long loads[3], totalram, freeram, sharedram, bufferram, totalswap, freeswap;
    unsigned short procs, pad;
    unsigned long totalhigh, freehigh;
    unsigned int mem_unit;
};
int sysinfo(struct sysinfo *result);
#define SI_LOAD_SHIFT 16
int get_nprocs_conf(void);
int get_nprocs(void);
long get_phys_pages(void);
long get_avphys_pages(void);
#endif
