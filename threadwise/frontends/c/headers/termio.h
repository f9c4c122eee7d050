#ifndef __TW_TERMIO_H
#define __TW_TERMIO_H
#endif
