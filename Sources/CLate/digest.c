/* Loads libcrypto when it is first needed, and forwards calls to it. */

#include "CLate.h"
#include "late.h"

#include <limits.h>

/* As declared by OpenSSL since 1.1.0: EVP_DigestInit(3). */
typedef struct bgfetch_engine bgfetch_engine;
typedef struct bgfetch_method bgfetch_method;

/* All functions used. The table is made from this list. */
#define FUNCTIONS(X)                                                                    \
  X(EVP_MD_CTX_new, bgfetch_digest *, (void))                                           \
  X(EVP_MD_CTX_free, void, (bgfetch_digest *))                                          \
  X(EVP_MD_CTX_copy_ex, int, (bgfetch_digest *, const bgfetch_digest *))                \
  X(EVP_sha256, const bgfetch_method *, (void))                                         \
  X(EVP_DigestInit_ex, int, (bgfetch_digest *, const bgfetch_method *, bgfetch_engine *)) \
  X(EVP_DigestUpdate, int, (bgfetch_digest *, const void *, size_t))                    \
  X(EVP_DigestFinal_ex, int, (bgfetch_digest *, unsigned char *, unsigned *))           \
  X(HMAC, unsigned char *,                                                              \
    (const bgfetch_method *, const void *, int, const unsigned char *, size_t, unsigned char *, unsigned *))

static struct {
  FUNCTIONS(LATE_MEMBER)
} lib;

static const struct late_function functions[] = {FUNCTIONS(LATE_ROW) {0}};

/* A library that libcurl has loaded already is not loaded again. */
static struct late_library library = {{"libcrypto.so.3", "libcrypto.so.4", "libcrypto.so.1.1"}, functions, 0, ""};

const char *bgfetch_digest_load(void) { return late_load(&library); }

bgfetch_digest *bgfetch_digest_new(void) {
  bgfetch_digest *digest = lib.EVP_MD_CTX_new();
  if (digest && !bgfetch_digest_restart(digest)) {
    lib.EVP_MD_CTX_free(digest);
    return NULL;
  }
  return digest;
}

void bgfetch_digest_free(bgfetch_digest *digest) { lib.EVP_MD_CTX_free(digest); }

bool bgfetch_digest_restart(bgfetch_digest *digest) {
  return lib.EVP_DigestInit_ex(digest, lib.EVP_sha256(), NULL) == 1;
}

bool bgfetch_digest_add(bgfetch_digest *digest, const void *bytes, size_t count) {
  return lib.EVP_DigestUpdate(digest, bytes, count) == 1;
}

bool bgfetch_digest_write(const bgfetch_digest *digest, unsigned char result[32]) {
  bgfetch_digest *copy = lib.EVP_MD_CTX_new();
  bool written = copy && lib.EVP_MD_CTX_copy_ex(copy, digest) == 1 &&
                 lib.EVP_DigestFinal_ex(copy, result, NULL) == 1;
  lib.EVP_MD_CTX_free(copy);
  return written;
}

bool bgfetch_digest_hmac(
    const void *key, size_t key_count, const void *bytes, size_t count, unsigned char result[32]) {
  if (key_count > INT_MAX) return false;
  unsigned written = 0;
  /* A key of no bytes still needs an address. */
  return lib.HMAC(lib.EVP_sha256(), key ? key : "", (int)key_count, bytes, count, result, &written) && written == 32;
}
