/* Loads liblz4 when it is first needed. CCompress.h says why. */

#include "CCompress.h"

#include <dlfcn.h>
#include <pthread.h>

static struct {
  /* As declared by lz4.h since 1.7, which is stable. */
  int (*compress)(const char *, char *, int, int);
  int (*decompress)(const char *, char *, int, int);
} lib;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *handle = dlopen("liblz4.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return;
  lib.compress = (__typeof__(lib.compress))dlsym(handle, "LZ4_compress_default");
  lib.decompress = (__typeof__(lib.decompress))dlsym(handle, "LZ4_decompress_safe");
}

size_t bgfetch_compress(const void *text, size_t count, void *result, size_t room) {
  pthread_once(&once, load);
  return lib.compress ? (size_t)lib.compress(text, result, (int)count, (int)room) : 0;
}

size_t bgfetch_decompress(const void *bytes, size_t count, void *result, size_t room) {
  pthread_once(&once, load);
  int size = lib.decompress ? lib.decompress(bytes, result, (int)count, (int)room) : 0;
  return size > 0 ? (size_t)size : 0;
}
