/* CRC-32 (IEEE, as in zlib), fast enough not to be seen beside the copy into the page cache. */
#ifndef CLF_CRC32_H
#define CLF_CRC32_H

#include "sys.h"

u32 crc32_of(const void *data, size_t length);

#endif
