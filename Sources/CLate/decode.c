/* Loads libz and libbrotlidec when the first request is sent, and decodes bodies with them; and liblz4, which packs the texts
   of items, when it is first needed. */

#include "CLate.h"
#include "late.h"

#include <stdint.h>
#include <stdlib.h>

/* As declared by zlib.h since 1.2, whose layout is stable; zlib-ng has the same under this name of the library. */
typedef struct {
  const uint8_t *next_in;
  unsigned avail_in;
  unsigned long total_in;
  uint8_t *next_out;
  unsigned avail_out;
  unsigned long total_out;
  const char *message;
  void *state, *allocate, *release, *opaque;
  int data_type;
  unsigned long adler, reserved;
} zlib_stream;

enum { ZLIB_END = 1, ZLIB_OK = 0, ZLIB_NO_PROGRESS = -5 };
enum { BROTLI_DAMAGED = 0, BROTLI_END = 1 };

#define ZLIB(X)                                                        \
  X(inflateInit2_, int, (zlib_stream *, int, const char *, int))       \
  X(inflate, int, (zlib_stream *, int))                                \
  X(inflateReset, int, (zlib_stream *))                                \
  X(inflateEnd, int, (zlib_stream *))

/* As declared by brotli/decode.h since 1.0. */
#define BROTLI(X)                                                      \
  X(BrotliDecoderCreateInstance, void *, (void *, void *, void *))     \
  X(BrotliDecoderDecompressStream, int,                                \
    (void *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *)) \
  X(BrotliDecoderDestroyInstance, void, (void *))

/* As declared by lz4.h since 1.7, which is stable. */
#define LZ4(X)                                                      \
  X(LZ4_compress_default, int, (const char *, char *, int, int))    \
  X(LZ4_decompress_safe, int, (const char *, char *, int, int))

static struct {
  ZLIB(LATE_MEMBER)
  BROTLI(LATE_MEMBER)
  LZ4(LATE_MEMBER)
} lib;

static const struct late_function zlib[] = {ZLIB(LATE_ROW) {0}}, brotli[] = {BROTLI(LATE_ROW) {0}}, lz4[] = {LZ4(LATE_ROW) {0}};

/* libcurl has both libraries on most systems, so that they are found wherever it was found. */
static struct late_library libz = {{"libz.so.1"}, zlib, 0, ""}, libbrotli = {{"libbrotlidec.so.1"}, brotli, 0, ""},
                           liblz4 = {{"liblz4.so.1"}, lz4, 0, ""};

struct bgfetch_decoder {
  bgfetch_coding coding;
  zlib_stream zlib;
  void *brotli;
  uint8_t output[16 << 10];
};

bool bgfetch_can_decode(bgfetch_coding coding) {
  return !late_load(coding == BGFETCH_BROTLI ? &libbrotli : &libz);
}

bgfetch_decoder *bgfetch_decoder_new(bgfetch_coding coding) {
  bgfetch_decoder *decoder = bgfetch_can_decode(coding) ? malloc(sizeof *decoder) : NULL;
  if (!decoder) return NULL;
  decoder->coding = coding;
  decoder->zlib = (zlib_stream){0};
  decoder->brotli = NULL;
  bool begun;
  if (coding == BGFETCH_BROTLI) {
    begun = (decoder->brotli = lib.BrotliDecoderCreateInstance(NULL, NULL, NULL)) != NULL;
  } else {
    /* The size of the window, as zlib.h encodes it: 16 more for gzip, negative without any header. */
    int window = coding == BGFETCH_GZIP ? 15 + 16 : coding == BGFETCH_ZLIB ? 15 : -15;
    begun = lib.inflateInit2_(&decoder->zlib, window, "1.2.0", (int)sizeof decoder->zlib) == ZLIB_OK;
  }
  if (begun) return decoder;
  free(decoder);
  return NULL;
}

void bgfetch_decoder_free(bgfetch_decoder *decoder) {
  if (!decoder) return;
  if (decoder->coding == BGFETCH_BROTLI) {
    lib.BrotliDecoderDestroyInstance(decoder->brotli);
  } else {
    lib.inflateEnd(&decoder->zlib);
  }
  free(decoder);
}

void bgfetch_decoder_restart(bgfetch_decoder *decoder) {
  if (decoder->coding != BGFETCH_BROTLI) lib.inflateReset(&decoder->zlib);
}

bgfetch_decoded bgfetch_decode(bgfetch_decoder *decoder, const void *bytes, size_t count) {
  const uint8_t *in = bytes;
  size_t left = count, room = sizeof decoder->output;
  bgfetch_decoded result = {.bytes = decoder->output};
  if (decoder->coding == BGFETCH_BROTLI) {
    uint8_t *out = decoder->output;
    int code = lib.BrotliDecoderDecompressStream(decoder->brotli, &left, &in, &room, &out, NULL);
    result.state = code == BROTLI_END ? BGFETCH_ENDED : code == BROTLI_DAMAGED ? BGFETCH_DAMAGED : BGFETCH_GOING;
  } else {
    zlib_stream *stream = &decoder->zlib;
    stream->next_in = in;
    stream->avail_in = (unsigned)left;
    stream->next_out = decoder->output;
    stream->avail_out = (unsigned)room;
    int code = lib.inflate(stream, 0);
    left = stream->avail_in;
    room = stream->avail_out;
    result.state = code == ZLIB_END                               ? BGFETCH_ENDED
                   : code == ZLIB_OK || code == ZLIB_NO_PROGRESS ? BGFETCH_GOING
                                                                  : BGFETCH_DAMAGED;
  }
  result.read = count - left;
  result.count = sizeof decoder->output - room;
  /* A full buffer may mean that more is to come; everything else has been read and written. */
  if (result.state == BGFETCH_GOING && room > 0) result.state = BGFETCH_HUNGRY;
  return result;
}

size_t bgfetch_compress(const void *text, size_t count, void *result, size_t room) {
  return late_load(&liblz4) ? 0 : (size_t)lib.LZ4_compress_default(text, result, (int)count, (int)room);
}

size_t bgfetch_decompress(const void *bytes, size_t count, void *result, size_t room) {
  int size = late_load(&liblz4) ? 0 : lib.LZ4_decompress_safe(bytes, result, (int)count, (int)room);
  return size > 0 ? (size_t)size : 0;
}
