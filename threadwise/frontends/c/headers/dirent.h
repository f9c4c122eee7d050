#ifndef __TW_DIRENT_H
#define __TW_DIRENT_H
#include <stddef.h>
#include <sys/types.h>
struct dirent {
    ino_t d_ino;
    off_t d_off;
    unsigned short d_reclen;
    unsigned char d_type;
    char d_name[256];
};
typedef struct __dirstream DIR;
#define DT_UNKNOWN 0
#define DT_DIR 4
#define DT_REG 8
#define DT_LNK 10
DIR *opendir(const char *path);
DIR *fdopendir(int file);
struct dirent *readdir(DIR *folder);
int closedir(DIR *folder);
void rewinddir(DIR *folder);
int dirfd(DIR *folder);
struct dirent64 {
    ino64_t d_ino;
    off64_t d_off;
    unsigned short d_reclen;
    unsigned char d_type;
    char d_name[256];
};
#define DT_FIFO 1
#define DT_CHR 2
#define DT_BLK 6
#define DT_SOCK 12
#define DT_WHT 14
#define MAXNAMLEN 255
#define d_fileno d_ino
struct dirent64 *readdir64(DIR *);
int readdir_r(DIR *restrict, struct dirent *restrict, struct dirent **restrict);
int readdir64_r(DIR *restrict, struct dirent64 *restrict, struct dirent64 **restrict);
void seekdir(DIR *, long);
long telldir(DIR *);
int scandir(const char *restrict, struct dirent ***restrict, int (*)(const struct dirent *),
    int (*)(const struct dirent **, const struct dirent **));
int scandir64(const char *restrict, struct dirent64 ***restrict, int (*)(const struct dirent64 *),
    int (*)(const struct dirent64 **, const struct dirent64 **));
int scandirat(int, const char *restrict, struct dirent ***restrict,
    int (*)(const struct dirent *), int (*)(const struct dirent **, const struct dirent **));
int scandirat64(int, const char *restrict, struct dirent64 ***restrict,
    int (*)(const struct dirent64 *), int (*)(const struct dirent64 **, const struct dirent64 **));
int alphasort(const struct dirent **, const struct dirent **);
int alphasort64(const struct dirent64 **, const struct dirent64 **);
ssize_t getdirentries(int, char *restrict, size_t, off_t *restrict);
ssize_t getdirentries64(int, char *restrict, size_t, off64_t *restrict);
int versionsort(const struct dirent **, const struct dirent **);
int versionsort64(const struct dirent64 **, const struct dirent64 **);
ssize_t getdents64(int, void *, size_t);
#define d_fileno d_ino
#define IFTODT(mode) (((mode) & 0170000) >> 12)
#define DTTOIF(type) ((type) << 12)
#endif
