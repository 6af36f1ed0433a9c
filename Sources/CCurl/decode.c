/* Loads libz and libbrotlidec when the first request is sent, and decodes bodies with them. CCurl.h says why. */

#include "CCurl.h"

#include <dlfcn.h>
#include <pthread.h>
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

static struct {
  int (*begin)(zlib_stream *, int, const char *, int);
  int (*inflate)(zlib_stream *, int);
  int (*reset)(zlib_stream *);
  int (*end)(zlib_stream *);
} zlib;

/* As declared by brotli/decode.h since 1.0. */
static struct {
  void *(*begin)(void *, void *, void *);
  int (*decode)(void *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *);
  void (*end)(void *);
} brotli;

struct bgfetch_decoder {
  bgfetch_coding coding;
  zlib_stream zlib;
  void *brotli;
  uint8_t output[16 << 10];
};

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* libcurl has both libraries on most systems, so that they are found wherever it was found. */
static void load(void) {
  void *handle = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle) {
    zlib.begin = (__typeof__(zlib.begin))dlsym(handle, "inflateInit2_");
    zlib.inflate = (__typeof__(zlib.inflate))dlsym(handle, "inflate");
    zlib.reset = (__typeof__(zlib.reset))dlsym(handle, "inflateReset");
    zlib.end = (__typeof__(zlib.end))dlsym(handle, "inflateEnd");
  }
  handle = dlopen("libbrotlidec.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle) {
    brotli.begin = (__typeof__(brotli.begin))dlsym(handle, "BrotliDecoderCreateInstance");
    brotli.decode = (__typeof__(brotli.decode))dlsym(handle, "BrotliDecoderDecompressStream");
    brotli.end = (__typeof__(brotli.end))dlsym(handle, "BrotliDecoderDestroyInstance");
  }
}

bool bgfetch_can_decode(bgfetch_coding coding) {
  pthread_once(&once, load);
  if (coding == BGFETCH_BROTLI) return brotli.begin && brotli.decode && brotli.end;
  return zlib.begin && zlib.inflate && zlib.reset && zlib.end;
}

bgfetch_decoder *bgfetch_decoder_new(bgfetch_coding coding) {
  bgfetch_decoder *decoder = bgfetch_can_decode(coding) ? malloc(sizeof *decoder) : NULL;
  if (!decoder) return NULL;
  decoder->coding = coding;
  decoder->zlib = (zlib_stream){0};
  decoder->brotli = NULL;
  bool begun;
  if (coding == BGFETCH_BROTLI) {
    begun = (decoder->brotli = brotli.begin(NULL, NULL, NULL)) != NULL;
  } else {
    /* The size of the window, as zlib.h encodes it: 16 more for gzip, negative without any header. */
    int window = coding == BGFETCH_GZIP ? 15 + 16 : coding == BGFETCH_ZLIB ? 15 : -15;
    begun = zlib.begin(&decoder->zlib, window, "1.2.0", (int)sizeof decoder->zlib) == ZLIB_OK;
  }
  if (begun) return decoder;
  free(decoder);
  return NULL;
}

void bgfetch_decoder_free(bgfetch_decoder *decoder) {
  if (!decoder) return;
  if (decoder->coding == BGFETCH_BROTLI) {
    brotli.end(decoder->brotli);
  } else {
    zlib.end(&decoder->zlib);
  }
  free(decoder);
}

void bgfetch_decoder_restart(bgfetch_decoder *decoder) {
  if (decoder->coding != BGFETCH_BROTLI) zlib.reset(&decoder->zlib);
}

bgfetch_decoded bgfetch_decode(bgfetch_decoder *decoder, const void *bytes, size_t count) {
  const uint8_t *in = bytes;
  size_t left = count, room = sizeof decoder->output;
  bgfetch_decoded result = {.bytes = decoder->output};
  if (decoder->coding == BGFETCH_BROTLI) {
    uint8_t *out = decoder->output;
    int code = brotli.decode(decoder->brotli, &left, &in, &room, &out, NULL);
    result.state = code == BROTLI_END ? BGFETCH_ENDED : code == BROTLI_DAMAGED ? BGFETCH_DAMAGED : BGFETCH_GOING;
  } else {
    zlib_stream *stream = &decoder->zlib;
    stream->next_in = in;
    stream->avail_in = (unsigned)left;
    stream->next_out = decoder->output;
    stream->avail_out = (unsigned)room;
    int code = zlib.inflate(stream, 0);
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
