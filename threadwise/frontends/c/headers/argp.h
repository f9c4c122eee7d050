#ifndef __TW_ARGP_H
#define __TW_ARGP_H
#include <errno.h>
#include <pwd.h>
struct argp_option {
    const char *name;
    int key;
    const char *arg;
    int flags;
    const char *doc;
    int group;
};
typedef error_t (*argp_parser_t)(int, char *, struct argp_state *);
struct argp {
    const struct argp_option *options;
    argp_parser_t parser;
    const char *args_doc;
    const char *doc;
    const struct argp_child *children;
    char *(*help_filter)(int, const char *, void *);
    const char *argp_domain;
};
struct argp_child { const struct argp *argp; int flags; const char *header; int group; };
struct argp_state {
    const struct argp *root_argp;
    int argc;
    char **argv;
    int next;
    unsigned int flags;
    unsigned int arg_num;
    int quoted;
    void *input;
    void **child_inputs;
    void *hook;
    char *name;
    FILE *err_stream;
    FILE *out_stream;
    void *pstate;
};
#define OPTION_ARG_OPTIONAL 0x1
#define OPTION_HIDDEN 0x2
#define OPTION_ALIAS 0x4
#define OPTION_DOC 0x8
#define OPTION_NO_USAGE 0x10
#define ARGP_ERR_UNKNOWN 7
#define ARGP_KEY_ARG 0
#define ARGP_KEY_ARGS 0x1000006
#define ARGP_KEY_END 0x1000001
#define ARGP_KEY_NO_ARGS 0x1000002
#define ARGP_KEY_INIT 0x1000003
#define ARGP_KEY_FINI 0x1000007
#define ARGP_KEY_SUCCESS 0x1000004
#define ARGP_KEY_ERROR 0x1000005
#define ARGP_KEY_HELP_PRE_DOC 0x2000001
#define ARGP_KEY_HELP_POST_DOC 0x2000002
#define ARGP_KEY_HELP_HEADER 0x2000003
#define ARGP_KEY_HELP_EXTRA 0x2000004
#define ARGP_KEY_HELP_DUP_ARGS_NOTE 0x2000005
#define ARGP_KEY_HELP_ARGS_DOC 0x2000006
#define ARGP_PARSE_ARGV0 0x1
#define ARGP_NO_ERRS 0x2
#define ARGP_NO_ARGS 0x4
#define ARGP_IN_ORDER 0x8
#define ARGP_NO_HELP 0x10
#define ARGP_NO_EXIT 0x20
#define ARGP_LONG_ONLY 0x40
#define ARGP_SILENT 50
#define ARGP_HELP_USAGE 0x1
#define ARGP_HELP_SHORT_USAGE 0x2
#define ARGP_HELP_SEE 0x4
#define ARGP_HELP_LONG 0x8
#define ARGP_HELP_PRE_DOC 0x10
#define ARGP_HELP_POST_DOC 0x20
#define ARGP_HELP_DOC 48
#define ARGP_HELP_BUG_ADDR 0x40
#define ARGP_HELP_LONG_ONLY 0x80
#define ARGP_HELP_EXIT_ERR 0x100
#define ARGP_HELP_EXIT_OK 0x200
#define ARGP_HELP_STD_ERR 260
#define ARGP_HELP_STD_USAGE 262
#define ARGP_HELP_STD_HELP 634
extern const char *argp_program_version;
extern void (*argp_program_version_hook)(FILE *restrict, struct argp_state *restrict);
extern const char *argp_program_bug_address;
extern error_t argp_err_exit_status;
error_t argp_parse(const struct argp *restrict, int, char **restrict, unsigned int, int *restrict,
    void *restrict);
void argp_help(const struct argp *restrict, FILE *restrict, unsigned int, char *restrict);
void argp_state_help(const struct argp_state *restrict, FILE *restrict, unsigned int);
void argp_usage(const struct argp_state *);
void argp_error(const struct argp_state *restrict, const char *restrict, ...);
void argp_failure(const struct argp_state *restrict, int, int, const char *restrict, ...);
#endif
