/* Compression by the system's liblz4, loaded when it is first needed.

   systemd and most systems' package managers need liblz4 anyway. Nothing links against it and its headers are not needed, so
   a run that stores no content does not pay for loading it. */

#ifndef BGFETCH_CCOMPRESS_H
#define BGFETCH_CCOMPRESS_H

#include <stddef.h>

/* Compresses at most 1 GiB of UTF-8 into an LZ4 block. Returns the number of compressed bytes, 0 if they do not fit into
   `room` bytes or there is no liblz4. */
size_t bgfetch_compress(const void *text, size_t count, void *result, size_t room);

/* Returns the number of decompressed bytes, 0 if they do not fit into `room` bytes, the input is damaged or there is no
   liblz4. Allocates nothing for the size that the input claims. `count` and `room` are at most 1 GiB. */
size_t bgfetch_decompress(const void *bytes, size_t count, void *result, size_t room);

#endif
