#ifndef __TW_TAR_H
#define __TW_TAR_H
#define TSUID 04000
#define TSGID 02000
#define TSVTX 01000
#define TUREAD 0400
#define TUWRITE 0200
#define TUEXEC 0100
#define TGREAD 040
#define TGWRITE 020
#define TGEXEC 010
#define TOREAD 04
#define TOWRITE 02
#define TOEXEC 01
#define REGTYPE 48
#define AREGTYPE 0
#define LNKTYPE 49
#define SYMTYPE 50
#define CHRTYPE 51
#define BLKTYPE 52
#define DIRTYPE 53
#define FIFOTYPE 54
#define CONTTYPE 55
#define TMAGIC "ustar"
#define TMAGLEN 6
#define TVERSION "00"
#define TVERSLEN 2
#endif
