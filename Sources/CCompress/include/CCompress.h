/* Compression by the system's libzstd, loaded when it is first needed.

   libcurl and most systems' package managers need libzstd anyway. Nothing links against it and its headers are not needed,
   so a run that stores no content does not pay for loading it. bgfetch_compressor_new() says whether it is there. */

#ifndef BGFETCH_CCOMPRESS_H
#define BGFETCH_CCOMPRESS_H

#include <stddef.h>

/* For one thread at a time. */
typedef struct bgfetch_compressor bgfetch_compressor;

/* NULL without libzstd or memory. */
bgfetch_compressor *bgfetch_compressor_new(void);
void bgfetch_compressor_free(bgfetch_compressor *compressor);

/* Writes the compressed bytes and returns how many they are: 0 if they do not fit into `room` bytes. */
size_t bgfetch_compress(bgfetch_compressor *compressor, const void *bytes, size_t count, void *result,
                        size_t room);

/* Writes the bytes that were compressed and returns how many they are: 0 if they do not fit into `room` bytes, or if
   the compressed ones are damaged. Needs no memory that grows with what they claim. */
size_t bgfetch_decompress(bgfetch_compressor *compressor, const void *bytes, size_t count, void *result,
                          size_t room);

#endif
