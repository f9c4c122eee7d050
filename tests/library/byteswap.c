// Bytes in the other order.
//
// expect assertions: SAFE

#include <assert.h>
#include <byteswap.h>
#include <stdint.h>

int main(void)
{
    uint64_t wide = 0x0102030405060708;
    assert(bswap_16(0x0102) == 0x0201);
    assert(bswap_32(0x01020304) == 0x04030201);
    assert(bswap_64(wide) == 0x0807060504030201);
    return 0;
}
