/* Loads liblz4 when it is first needed. */

#include "CLate.h"
#include "late.h"

/* As declared by lz4.h since 1.7, which is stable. */
#define FUNCTIONS(X)                                                \
  X(LZ4_compress_default, int, (const char *, char *, int, int))    \
  X(LZ4_decompress_safe, int, (const char *, char *, int, int))

static struct {
  FUNCTIONS(LATE_MEMBER)
} lib;

static const struct late_function functions[] = {FUNCTIONS(LATE_ROW) {0}};

static struct late_library library = {{"liblz4.so.1"}, functions, 0, ""};

size_t bgfetch_compress(const void *text, size_t count, void *result, size_t room) {
  return late_load(&library) ? 0 : (size_t)lib.LZ4_compress_default(text, result, (int)count, (int)room);
}

size_t bgfetch_decompress(const void *bytes, size_t count, void *result, size_t room) {
  int size = late_load(&library) ? 0 : lib.LZ4_decompress_safe(bytes, result, (int)count, (int)room);
  return size > 0 ? (size_t)size : 0;
}
