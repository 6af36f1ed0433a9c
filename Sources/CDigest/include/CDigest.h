/* SHA-256 by the libcrypto that is there, loaded when it is first needed.

   libcurl brings libcrypto along wherever a file can be downloaded at all, it hashes with the processor's own
   instructions, and nothing has to be built for it. A run without downloads does not pay for loading it: nothing
   links against it, and its headers are not needed either. Every function but bgfetch_digest_load() may only be
   called after that one returned NULL. */

#ifndef BGFETCH_CDIGEST_H
#define BGFETCH_CDIGEST_H

#include <stdbool.h>
#include <stddef.h>

/* Loads libcrypto once for the process, from any thread.
   Gives NULL, or says what is missing; the text lives as long as the process. */
const char *bgfetch_digest_load(void);

/* A SHA-256 that is being computed; one thread at a time. */
typedef struct bgfetch_digest bgfetch_digest;

/* NULL if memory ran out, or libcrypto refuses. */
bgfetch_digest *bgfetch_digest_new(void);
void bgfetch_digest_free(bgfetch_digest *digest);

/* Forgets what was added. This and the rest give false if libcrypto refuses. */
bool bgfetch_digest_restart(bgfetch_digest *digest);
bool bgfetch_digest_add(bgfetch_digest *digest, const void *bytes, size_t count);
/* Writes the 32 bytes of what was added so far; more can be added afterwards. */
bool bgfetch_digest_write(const bgfetch_digest *digest, unsigned char result[32]);

#endif
