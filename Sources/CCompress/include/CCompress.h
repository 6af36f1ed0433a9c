/* Compression by the system's libzstd, loaded when it is first needed.

   libcurl and most systems' package managers need libzstd anyway. Nothing links against it and its headers are not needed,
   so a run that stores no content does not pay for loading it. */

#ifndef BGFETCH_CCOMPRESS_H
#define BGFETCH_CCOMPRESS_H

#include <stddef.h>

/* For one thread at a time. */
typedef struct bgfetch_compressor bgfetch_compressor;

/* NULL without libzstd or memory. */
bgfetch_compressor *bgfetch_compressor_new(void);
void bgfetch_compressor_free(bgfetch_compressor *compressor);

/* Returns the number of compressed bytes, 0 if they do not fit into `room` bytes. */
size_t bgfetch_compress(bgfetch_compressor *compressor, const void *bytes, size_t count, void *result,
                        size_t room);

/* Returns the number of decompressed bytes, 0 if they do not fit into `room` bytes or the input is damaged. Allocates
   nothing for the size that the input claims. */
size_t bgfetch_decompress(bgfetch_compressor *compressor, const void *bytes, size_t count, void *result,
                          size_t room);

#endif
