#ifndef __TW_SYS_USER_H
#define __TW_SYS_USER_H
struct user_fpregs_struct {
    unsigned short cwd;
    unsigned short swd;
    unsigned short ftw;
    unsigned short fop;
    unsigned long long rip;
    unsigned long long rdp;
    unsigned int mxcsr;
    unsigned int mxcr_mask;
    unsigned int st_space[32];
    unsigned int xmm_space[64];
    unsigned int padding[24];
};
struct user_regs_struct {
    unsigned long long r15;
    unsigned long long r14;
    unsigned long long r13;
    unsigned long long r12;
    unsigned long long rbp;
    unsigned long long rbx;
    unsigned long long r11;
    unsigned long long r10;
    unsigned long long r9;
    unsigned long long r8;
    unsigned long long rax;
    unsigned long long rcx;
    unsigned long long rdx;
    unsigned long long rsi;
    unsigned long long rdi;
    unsigned long long orig_rax;
    unsigned long long rip;
    unsigned long long cs;
    unsigned long long eflags;
    unsigned long long rsp;
    unsigned long long ss;
    unsigned long long fs_base;
    unsigned long long gs_base;
    unsigned long long ds;
    unsigned long long es;
    unsigned long long fs;
    unsigned long long gs;
};
struct user {
    struct user_regs_struct regs;
    int u_fpvalid;
    struct user_fpregs_struct i387;
    unsigned long long u_tsize;
    unsigned long long u_dsize;
    unsigned long long u_ssize;
    unsigned long long start_code;
    unsigned long long start_stack;
    long long signal;
    int reserved;
    union {
        struct user_regs_struct *u_ar0;
        unsigned long long __u_ar0_word;
    };
    union {
        struct user_fpregs_struct *u_fpstate;
        unsigned long long __u_fpstate_word;
    };
    unsigned long long magic;
    char u_comm[32];
    unsigned long long u_debugreg[8];
};
#define PAGE_SHIFT 12
#define PAGE_SIZE 4096UL
#define PAGE_MASK 18446744073709547520UL
#define NBPG 4096UL
#define UPAGES 1
#endif
