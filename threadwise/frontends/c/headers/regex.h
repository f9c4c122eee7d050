#ifndef __TW_REGEX_H
#define __TW_REGEX_H
#include <stddef.h>
typedef long s_reg_t;
typedef unsigned long active_reg_t;
typedef unsigned long reg_syntax_t;
typedef enum {
    _REG_ENOSYS = -1, _REG_NOERROR, _REG_NOMATCH, _REG_BADPAT, _REG_ECOLLATE, _REG_ECTYPE,
    _REG_EESCAPE, _REG_ESUBREG, _REG_EBRACK, _REG_EPAREN, _REG_EBRACE, _REG_BADBR,
    _REG_ERANGE, _REG_ESPACE, _REG_BADRPT, _REG_EEND, _REG_ESIZE, _REG_ERPAREN
} reg_errcode_t;
struct re_pattern_buffer {
    struct re_dfa_t *buffer;
    unsigned long allocated;
    unsigned long used;
    reg_syntax_t syntax;
    char *fastmap;
    unsigned char *translate;
    size_t re_nsub;
    unsigned int can_be_null : 1;
    unsigned int regs_allocated : 2;
    unsigned int fastmap_accurate : 1;
    unsigned int no_sub : 1;
    unsigned int not_bol : 1;
    unsigned int not_eol : 1;
    unsigned int newline_anchor : 1;
};
typedef struct re_pattern_buffer regex_t;
typedef int regoff_t;
struct re_registers { unsigned int num_regs; regoff_t *start; regoff_t *end; };
typedef struct { regoff_t rm_so; regoff_t rm_eo; } regmatch_t;
#define RE_BACKSLASH_ESCAPE_IN_LISTS 1UL
#define RE_BK_PLUS_QM 2UL
#define RE_CHAR_CLASSES 4UL
#define RE_CONTEXT_INDEP_ANCHORS 8UL
#define RE_CONTEXT_INDEP_OPS 16UL
#define RE_CONTEXT_INVALID_OPS 32UL
#define RE_DOT_NEWLINE 64UL
#define RE_DOT_NOT_NULL 128UL
#define RE_HAT_LISTS_NOT_NEWLINE 256UL
#define RE_INTERVALS 512UL
#define RE_LIMITED_OPS 1024UL
#define RE_NEWLINE_ALT 2048UL
#define RE_NO_BK_BRACES 4096UL
#define RE_NO_BK_PARENS 8192UL
#define RE_NO_BK_REFS 16384UL
#define RE_NO_BK_VBAR 32768UL
#define RE_NO_EMPTY_RANGES 65536UL
#define RE_UNMATCHED_RIGHT_PAREN_ORD 131072UL
#define RE_NO_POSIX_BACKTRACKING 262144UL
#define RE_NO_GNU_OPS 524288UL
#define RE_DEBUG 1048576UL
#define RE_INVALID_INTERVAL_ORD 2097152UL
#define RE_ICASE 4194304UL
#define RE_CARET_ANCHORS_HERE 8388608UL
#define RE_CONTEXT_INVALID_DUP 16777216UL
#define RE_NO_SUB 33554432UL
#define REG_EXTENDED 1
#define REG_ICASE 2
#define REG_NEWLINE 4
#define REG_NOSUB 8
#define REG_NOTBOL 1
#define REG_NOTEOL 2
#define REG_STARTEND 4
#define REG_ENOSYS (-1)
#define REG_NOERROR 0
#define REG_NOMATCH 1
#define REG_BADPAT 2
#define REG_ECOLLATE 3
#define REG_ECTYPE 4
#define REG_EESCAPE 5
#define REG_ESUBREG 6
#define REG_EBRACK 7
#define REG_EPAREN 8
#define REG_EBRACE 9
#define REG_BADBR 10
#define REG_ERANGE 11
#define REG_ESPACE 12
#define REG_BADRPT 13
#define REG_EEND 14
#define REG_ESIZE 15
#define REG_ERPAREN 16
#define REGS_UNALLOCATED 0
#define REGS_REALLOCATE 1
#define REGS_FIXED 2
#define RE_NREGS 30
extern reg_syntax_t re_syntax_options;
reg_syntax_t re_set_syntax(reg_syntax_t);
const char *re_compile_pattern(const char *, size_t, struct re_pattern_buffer *);
int re_compile_fastmap(struct re_pattern_buffer *);
regoff_t re_search(struct re_pattern_buffer *, const char *, regoff_t, regoff_t, regoff_t,
    struct re_registers *);
regoff_t re_search_2(struct re_pattern_buffer *, const char *, regoff_t, const char *, regoff_t,
    regoff_t, regoff_t, struct re_registers *, regoff_t);
regoff_t re_match(struct re_pattern_buffer *, const char *, regoff_t, regoff_t,
    struct re_registers *);
regoff_t re_match_2(struct re_pattern_buffer *, const char *, regoff_t, const char *, regoff_t,
    regoff_t, struct re_registers *, regoff_t);
void re_set_registers(struct re_pattern_buffer *, struct re_registers *, unsigned int, regoff_t *,
    regoff_t *);
int regcomp(regex_t *restrict, const char *restrict, int);
size_t regerror(int, const regex_t *restrict, char *restrict, size_t);
void regfree(regex_t *);
int regexec(const regex_t *restrict pattern, const char *restrict text, size_t count,
            regmatch_t matches[restrict], int flags);
#endif
