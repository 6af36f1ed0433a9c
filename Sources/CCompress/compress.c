/* Loads liblz4, and libzstd for old texts, when they are first needed. CCompress.h says why. */

#include "CCompress.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static struct {
  /* As declared by lz4.h since 1.7 and zstd.h since 1.0; both are stable. */
  int (*compress)(const char *, char *, int, int);
  int (*decompress)(const char *, char *, int, int);
  size_t (*decompress_zstd)(void *, size_t, const void *, size_t);
  unsigned (*is_zstd_error)(size_t);
} lib;

static pthread_once_t once = PTHREAD_ONCE_INIT, once_zstd = PTHREAD_ONCE_INIT;

static void load(void) {
  void *handle = dlopen("liblz4.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return;
  lib.compress = (__typeof__(lib.compress))dlsym(handle, "LZ4_compress_default");
  lib.decompress = (__typeof__(lib.decompress))dlsym(handle, "LZ4_decompress_safe");
}

static void load_zstd(void) {
  void *handle = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return;
  lib.decompress_zstd = (__typeof__(lib.decompress_zstd))dlsym(handle, "ZSTD_decompress");
  lib.is_zstd_error = (__typeof__(lib.is_zstd_error))dlsym(handle, "ZSTD_isError");
}

size_t bgfetch_compress(const void *text, size_t count, void *result, size_t room) {
  pthread_once(&once, load);
  return lib.compress ? (size_t)lib.compress(text, result, (int)count, (int)room) : 0;
}

static size_t decompress_zstd(const void *bytes, size_t count, void *result, size_t room) {
  pthread_once(&once_zstd, load_zstd);
  if (!lib.decompress_zstd || !lib.is_zstd_error) return 0;
  size_t size = lib.decompress_zstd(result, room, bytes, count);
  return lib.is_zstd_error(size) ? 0 : size;
}

size_t bgfetch_decompress(const void *bytes, size_t count, void *result, size_t room) {
  /* The mark of a zstd frame (RFC 8878, 3.1.1). In an LZ4 block it would mean a text that begins with B5, which UTF-8 forbids. */
  if (count >= 4 && memcmp(bytes, "\x28\xB5\x2F\xFD", 4) == 0) return decompress_zstd(bytes, count, result, room);
  pthread_once(&once, load);
  int size = lib.decompress ? lib.decompress(bytes, result, (int)count, (int)room) : 0;
  return size > 0 ? (size_t)size : 0;
}
