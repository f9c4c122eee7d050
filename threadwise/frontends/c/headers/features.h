#ifndef __TW_FEATURES_H
#define __TW_FEATURES_H
#endif
