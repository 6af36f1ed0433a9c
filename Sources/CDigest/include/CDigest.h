/* SHA-256 by the system's libcrypto, loaded when it is first needed.

   libcurl needs libcrypto anyway, and libcrypto uses the processor's own instructions. Nothing links against it and its
   headers are not needed, so a run without downloads does not pay for loading it. bgfetch_digest_load() must return NULL
   before any other function is called. */

#ifndef BGFETCH_CDIGEST_H
#define BGFETCH_CDIGEST_H

#include <stdbool.h>
#include <stddef.h>

/* Loads libcrypto once for the process; may be called from any thread.
   Returns NULL, or what is missing, as a text that is never freed. */
const char *bgfetch_digest_load(void);

/* A SHA-256 in progress, for one thread at a time. */
typedef struct bgfetch_digest bgfetch_digest;

/* NULL without memory, or if libcrypto refuses. */
bgfetch_digest *bgfetch_digest_new(void);
void bgfetch_digest_free(bgfetch_digest *digest);

/* Starts again from no bytes. This and the functions below return false if libcrypto refuses. */
bool bgfetch_digest_restart(bgfetch_digest *digest);
bool bgfetch_digest_add(bgfetch_digest *digest, const void *bytes, size_t count);
/* Writes the 32 bytes of the checksum so far; more bytes can be added afterwards. */
bool bgfetch_digest_write(const bgfetch_digest *digest, unsigned char result[32]);

/* Writes the 32 bytes of the HMAC of some bytes (RFC 2104) with SHA-256. */
bool bgfetch_digest_hmac(
    const void *key, size_t key_count, const void *bytes, size_t count, unsigned char result[32]);

#endif
