/* Loads libcrypto when it is first needed, and forwards calls to it. CDigest.h says why. */

#define _GNU_SOURCE
#include "CDigest.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>

/* As declared by OpenSSL since 1.1.0: EVP_DigestInit(3). */
typedef struct bgfetch_engine bgfetch_engine;
typedef struct bgfetch_method bgfetch_method;

/* All functions used. The table and its initialisation are made from this list. */
#define FUNCTIONS(X)                                                                    \
  X(bgfetch_digest *, EVP_MD_CTX_new, (void))                                           \
  X(void, EVP_MD_CTX_free, (bgfetch_digest *))                                          \
  X(int, EVP_MD_CTX_copy_ex, (bgfetch_digest *, const bgfetch_digest *))                \
  X(const bgfetch_method *, EVP_sha256, (void))                                         \
  X(int, EVP_DigestInit_ex, (bgfetch_digest *, const bgfetch_method *, bgfetch_engine *)) \
  X(int, EVP_DigestUpdate, (bgfetch_digest *, const void *, size_t))                    \
  X(int, EVP_DigestFinal_ex, (bgfetch_digest *, unsigned char *, unsigned *))           \
  X(unsigned char *, HMAC,                                                              \
    (const bgfetch_method *, const void *, int, const unsigned char *, size_t, unsigned char *, unsigned *))

static struct {
#define MEMBER(result, name, arguments) result(*name) arguments;
  FUNCTIONS(MEMBER)
#undef MEMBER
} lib;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char problem[256] = "libcrypto.so.3 was not loaded";

static void load(void) {
  /* A library that libcurl has loaded already is not loaded again. */
  static const char *const names[] = {"libcrypto.so.3", "libcrypto.so.4", "libcrypto.so.1.1"};
  const char *name = NULL;
  void *handle = NULL;
  for (unsigned index = 0; !handle && index < sizeof names / sizeof *names; index++) {
    name = names[index];
    handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    /* The error for the first name, the usual one, is reported. */
    if (!handle && index == 0) {
      const char *why = dlerror();
      snprintf(problem, sizeof problem, "%s", why ? why : "libcrypto.so.3 cannot be loaded");
    }
  }
  if (!handle) return;
#define LOOK_UP(result, name_of, arguments)                                  \
  lib.name_of = (__typeof__(lib.name_of))dlsym(handle, #name_of);            \
  if (!lib.name_of) {                                                        \
    snprintf(problem, sizeof problem, "%s lacks %s", name, #name_of);        \
    return;                                                                  \
  }
  FUNCTIONS(LOOK_UP)
#undef LOOK_UP
  problem[0] = 0;
}

const char *bgfetch_digest_load(void) {
  pthread_once(&once, load);
  return problem[0] ? problem : NULL;
}

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
