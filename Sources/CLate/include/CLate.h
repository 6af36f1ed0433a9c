/* The libraries that are loaded when they are first needed: libcurl, the decoders of its bodies, libcrypto, liblz4, libpq and
   libsystemd.

   Nothing links against them, so that a program that needs none of them starts at once, and starts where they are missing. */

#ifndef BGFETCH_CLATE_H
#define BGFETCH_CLATE_H

#ifdef __swift__
/* Swift then attributes the types of the system's headers to Glibc, as everywhere else. */
#pragma clang module import SwiftGlibc
#else
#include <pthread.h>
#endif
#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* libcurl for Swift, loaded when it is first needed. Types and constants come from <curl/curl.h>.

   Loading libcurl and the thirty libraries behind it takes several times as long as the rest of the program's start, and
   a run with nothing to fetch must not pay for it. So nothing links against libcurl, and bgfetch_curl_load() must return
   NULL before any other function is called.

   Swift cannot call variadic functions such as curl_easy_setopt(): here is one function for each type of argument. It calls the
   others themselves, by their names in a table. */

/* All functions used. */
#define BGFETCH_CURL(X) \
  X(curl_easy_cleanup) \
  X(curl_easy_getinfo) \
  X(curl_easy_init) \
  X(curl_easy_pause) \
  X(curl_easy_reset) \
  X(curl_easy_setopt) \
  X(curl_easy_strerror) \
  X(curl_free) \
  X(curl_global_init) \
  X(curl_multi_add_handle) \
  X(curl_multi_cleanup) \
  X(curl_multi_info_read) \
  X(curl_multi_init) \
  X(curl_multi_perform) \
  X(curl_multi_poll) \
  X(curl_multi_remove_handle) \
  X(curl_multi_setopt) \
  X(curl_multi_strerror) \
  X(curl_multi_wakeup) \
  X(curl_slist_append) \
  X(curl_slist_free_all) \
  X(curl_url) \
  X(curl_url_cleanup) \
  X(curl_url_get) \
  X(curl_url_set) \
  X(curl_version_info)

struct bgfetch_curl_functions {
#define BGFETCH_MEMBER(name) __typeof__(name) *name;
  BGFETCH_CURL(BGFETCH_MEMBER)
#undef BGFETCH_MEMBER
};

/* Loads and initialises libcurl once for the process; may be called from any thread.
   Returns NULL, or what is missing, as a text that is never freed. */
const char *bgfetch_curl_load(void);

/* The functions of the loaded library; only curl_multi_wakeup() may be called from any thread. */
const struct bgfetch_curl_functions *bgfetch_curl(void);

/* Makes UTF-8 the character set of the calling thread, in which libcurl reads international host names. Under cron the
   process has no character set, and libcurl would refuse such names. */
void bgfetch_curl_use_utf8(void);

/* The library's version, for example "7.88.1". */
const char *bgfetch_curl_version(void);

/* Many transfers at once. */
CURLMcode bgfetch_curl_multi_set_long(CURLM *multi, CURLMoption option, long value);
CURLMcode bgfetch_curl_multi_perform(CURLM *multi);
CURLMcode bgfetch_curl_multi_poll(CURLM *multi, int milliseconds);
/* The next transfer that has ended, with its result; false if there is none. */
bool bgfetch_curl_multi_next_finished(CURLM *multi, CURL **easy, CURLcode *result);

/* One transfer. */
/* Continues a transfer whose body callback returned CURL_WRITEFUNC_PAUSE, and may call it before returning. An error
   means that the transfer has ended; bgfetch_curl_multi_next_finished() does not report it. */
CURLcode bgfetch_curl_easy_unpause(CURL *easy);
const char *bgfetch_curl_error_text(CURLcode code);
const char *bgfetch_curl_multi_error_text(CURLMcode code);

CURLcode bgfetch_curl_set_long(CURL *easy, CURLoption option, long value);
CURLcode bgfetch_curl_set_text(CURL *easy, CURLoption option, const char *value);
CURLcode bgfetch_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value);
CURLcode bgfetch_curl_set_pointer(CURL *easy, CURLoption option, void *value);
/* Callbacks; libcurl passes `context` as their first or last argument. */
CURLcode bgfetch_curl_on_body(CURL *easy, curl_write_callback callback, void *context);
CURLcode bgfetch_curl_on_header(CURL *easy, curl_write_callback callback, void *context);
CURLcode bgfetch_curl_on_socket(CURL *easy, curl_opensocket_callback callback, void *context);
CURLcode bgfetch_curl_on_close(CURL *easy, curl_closesocket_callback callback, void *context);
CURLcode bgfetch_curl_on_connected(CURL *easy, curl_prereq_callback callback, void *context);
/* Makes the request a PUT of so many bytes, which libcurl reads from `read`, perhaps again after `seek`. */
CURLcode bgfetch_curl_upload(CURL *easy, curl_read_callback read, curl_seek_callback seek, void *context,
                             curl_off_t size);

/* Values of a finished transfer; 0 or NULL if there is none. */
long bgfetch_curl_get_long(CURL *easy, CURLINFO info);
curl_off_t bgfetch_curl_get_offset(CURL *easy, CURLINFO info);
const char *bgfetch_curl_get_text(CURL *easy, CURLINFO info);
void *bgfetch_curl_get_pointer(CURL *easy, CURLINFO info);
/* The cookies of a handle as lines of a cookies.txt file, to be freed. */
struct curl_slist *bgfetch_curl_cookies(CURL *easy);

/* The host of an address as libcurl reads it, with percent signs, international names and unusual forms of IPv4 addresses
   decoded. False if libcurl would refuse the address. */
bool bgfetch_curl_host_of(const char *address, char *host, size_t capacity);

/* Content codings, undone by libz and libbrotlidec, which are loaded like libcurl and after it.

   libcurl could undo them too, but it undoes up to five inside one call. Of a body that decodes to nothing a thousand times
   over, no limit and no callback would see anything. */
typedef enum { BGFETCH_GZIP, BGFETCH_ZLIB, BGFETCH_DEFLATE, BGFETCH_BROTLI } bgfetch_coding;
typedef enum {
  /* More output is ready, or more input is left. */
  BGFETCH_GOING,
  /* All input was read and all output written. */
  BGFETCH_HUNGRY,
  /* The encoded data ended; input after it is left. */
  BGFETCH_ENDED,
  BGFETCH_DAMAGED
} bgfetch_decoder_state;

typedef struct bgfetch_decoder bgfetch_decoder;

/* The result of one step: the next bytes, at most 16 KiB, which are valid until the next one. */
typedef struct {
  bgfetch_decoder_state state;
  const void *bytes;
  size_t count;
  /* The number of bytes of the input that were read. */
  size_t read;
} bgfetch_decoded;

/* Whether the library for a coding is there. */
bool bgfetch_can_decode(bgfetch_coding coding);
/* NULL without memory or without the library. */
bgfetch_decoder *bgfetch_decoder_new(bgfetch_coding coding);
void bgfetch_decoder_free(bgfetch_decoder *decoder);
/* Expects the next member of a gzip file. */
void bgfetch_decoder_restart(bgfetch_decoder *decoder);
/* Decodes some bytes, at most 1 GiB, in a time that depends only on them and on the 16 KiB of output. */
bgfetch_decoded bgfetch_decode(bgfetch_decoder *decoder, const void *bytes, size_t count);

/* The local port of a connection, as a CURLOPT_PREREQFUNCTION gets it; -1 if the socket has none. */
int bgfetch_curl_local_port(curl_socket_t socket);
/* The numeric address; false if it is neither IPv4 nor IPv6. */
bool bgfetch_curl_address_text(const struct curl_sockaddr *address, char *text, size_t capacity);

/* SHA-256 by the system's libcrypto, loaded when it is first needed.

   libcurl needs libcrypto anyway, and libcrypto uses the processor's own instructions. Nothing links against it and its
   headers are not needed, so a run without downloads does not pay for loading it. bgfetch_digest_load() must return NULL
   before any other function is called. */

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

/* Compression by the system's liblz4, loaded when it is first needed.

   systemd and most systems' package managers need liblz4 anyway. Nothing links against it and its headers are not needed, so
   a run that stores no content does not pay for loading it. */

/* Compresses at most 1 GiB of UTF-8 into an LZ4 block. Returns the number of compressed bytes, 0 if they do not fit into
   `room` bytes or there is no liblz4. */
size_t bgfetch_compress(const void *text, size_t count, void *result, size_t room);

/* Returns the number of decompressed bytes, 0 if they do not fit into `room` bytes, the input is damaged or there is no
   liblz4. Allocates nothing for the size that the input claims. `count` and `room` are at most 1 GiB. */
size_t bgfetch_decompress(const void *bytes, size_t count, void *result, size_t room);

/* PostgreSQL through the system's libpq, loaded when it is first needed.

   Only a store on a PostgreSQL server needs it: nothing links against it, its headers are not needed, and a program with its
   state in a file does not pay for loading it. https://www.postgresql.org/docs/current/libpq.html */

/* Object identifiers of types (pg_type.dat); they never change. */
enum {
  BGFETCH_POSTGRES_BOOL = 16,
  BGFETCH_POSTGRES_BYTEA = 17,
  BGFETCH_POSTGRES_INT8 = 20,
  BGFETCH_POSTGRES_INT2 = 21,
  BGFETCH_POSTGRES_INT4 = 23,
  BGFETCH_POSTGRES_TEXT = 25,
  BGFETCH_POSTGRES_FLOAT8 = 701,
  BGFETCH_POSTGRES_TEXT_ARRAY = 1009,
  BGFETCH_POSTGRES_INT8_ARRAY = 1016,
};

/* Connections and results are for one thread at a time. */
typedef struct pg_conn bgfetch_postgres;
typedef struct pg_result bgfetch_postgres_result;

/* As declared by libpq-fe.h; none has changed since PostgreSQL 8. */
typedef void (*bgfetch_notice_processor)(void *context, const char *message);
struct bgfetch_notification {
  char *channel;
  int process;
  char *payload;
  struct bgfetch_notification *next;
};

/* All functions used. */
#define BGFETCH_LIBPQ(X)                                                                                        \
  X(PQconnectdbParams, bgfetch_postgres *, (const char *const *, const char *const *, int))                     \
  X(PQreset, void, (bgfetch_postgres *))                                                                        \
  X(PQfinish, void, (bgfetch_postgres *))                                                                       \
  X(PQstatus, int, (const bgfetch_postgres *))                                                                  \
  X(PQerrorMessage, char *, (const bgfetch_postgres *))                                                         \
  X(PQsetErrorVerbosity, int, (bgfetch_postgres *, int))                                                        \
  X(PQbackendPID, int, (const bgfetch_postgres *))                                                              \
  X(PQhost, char *, (const bgfetch_postgres *))                                                                 \
  X(PQdb, char *, (const bgfetch_postgres *))                                                                   \
  X(PQsetNoticeProcessor, bgfetch_notice_processor, (bgfetch_postgres *, bgfetch_notice_processor, void *))     \
  X(PQsetnonblocking, int, (bgfetch_postgres *, int))                                                           \
  X(PQsendQuery, int, (bgfetch_postgres *, const char *))                                                       \
  X(PQsendPrepare, int, (bgfetch_postgres *, const char *, const char *, int, const unsigned *))                \
  X(PQsendQueryPrepared, int,                                                                                   \
    (bgfetch_postgres *, const char *, int, const char *const *, const int *, const int *, int))                \
  X(PQflush, int, (bgfetch_postgres *))                                                                         \
  X(PQisBusy, int, (bgfetch_postgres *))                                                                        \
  X(PQsocket, int, (const bgfetch_postgres *))                                                                  \
  X(PQnotifies, struct bgfetch_notification *, (bgfetch_postgres *))                                            \
  X(PQfreemem, void, (void *))                                                                                  \
  X(PQconsumeInput, int, (bgfetch_postgres *))                                                                  \
  X(PQgetResult, bgfetch_postgres_result *, (bgfetch_postgres *))                                               \
  X(PQresultStatus, int, (const bgfetch_postgres_result *))                                                     \
  X(PQresultErrorMessage, char *, (const bgfetch_postgres_result *))                                            \
  X(PQresultErrorField, char *, (const bgfetch_postgres_result *, int))                                         \
  X(PQclear, void, (bgfetch_postgres_result *))                                                                 \
  X(PQntuples, int, (const bgfetch_postgres_result *))                                                          \
  X(PQcmdTuples, char *, (bgfetch_postgres_result *))                                                           \
  X(PQfname, char *, (const bgfetch_postgres_result *, int))                                                    \
  X(PQftype, unsigned, (const bgfetch_postgres_result *, int))                                                  \
  X(PQgetisnull, int, (const bgfetch_postgres_result *, int, int))                                              \
  X(PQgetlength, int, (const bgfetch_postgres_result *, int, int))                                              \
  X(PQgetvalue, char *, (const bgfetch_postgres_result *, int, int))

/* Rows of a list of functions as members of a table. */
#define LATE_MEMBER(name, result, arguments) result(*name) arguments;

struct bgfetch_libpq_functions { BGFETCH_LIBPQ(LATE_MEMBER) };

/* Whether libpq is installed. */
int bgfetch_postgres_is_present(void);

/* The functions of libpq where it is installed. */
const struct bgfetch_libpq_functions *bgfetch_libpq(void);

/* Connects, and waits for it; NULL only without memory. `place` is a connection string or URI; `password` may be NULL. `timeout`
   is for each host, in seconds. */
bgfetch_postgres *bgfetch_postgres_open(const char *place, const char *password, const char *name, int timeout);
int bgfetch_postgres_is_connected(const bgfetch_postgres *connection);

/* Each waits for the server, and returns a result to be freed; NULL if nothing could be sent. A server that is silent for
   `limit` seconds counts as lost; 0 means no limit. */
bgfetch_postgres_result *bgfetch_postgres_execute(bgfetch_postgres *connection, const char *sql, int limit);
bgfetch_postgres_result *bgfetch_postgres_prepare(bgfetch_postgres *connection, const char *name,
                                                  const char *sql, int count, const unsigned *types, int limit);
/* The values lie one after the other in `bytes`, each with a NUL after it; one of the length -1 is NULL and has no bytes. Of the
   formats, 0 is text and 1 binary. */
bgfetch_postgres_result *bgfetch_postgres_run(bgfetch_postgres *connection, const char *name, int count,
                                              const void *bytes, const int *lengths, const int *formats,
                                              int limit);

/* How many notifications of other sessions than `process` of the server have come with the answers since the last call. */
int bgfetch_postgres_notifications(bgfetch_postgres *connection, int process);

int bgfetch_postgres_has_succeeded(const bgfetch_postgres_result *result);
/* An integer of any size or a truth value, and a real number; the column must have such a type. */
int64_t bgfetch_postgres_integer(const bgfetch_postgres_result *result, int row, int column);
const char *bgfetch_postgres_bytes(const bgfetch_postgres_result *result, int row, int column, int *count);

/* Popups of the notification daemon of a person's session, over D-Bus through libsystemd's sd-bus, loaded when it is first needed.

   Only hooks with `popup: true` need it: nothing links against it, its headers are not needed, and no run loads it, because each
   popup has a process of its own. */

/* Whether a notification daemon answers. */
bool bgfetch_popup_is_possible(void);
/* Shows the popup of this process. Its body is the text, or the markup if the daemon reads markup. The sound is a name or empty, the
   urgency 0 (low), 1 or 2 (critical); `opens` says whether a click does something. `identity` becomes a line that identifies the
   popup, and `replaced` is the identity of an earlier one or empty. Returns NULL, or why the popup is not shown. */
const char *bgfetch_popup_show(const char *title, const char *text, const char *markup, const char *sound,
                               unsigned urgency, const char *replaced, bool opens, const char **identity);
/* Waits until the popup is clicked; false if nothing waits for a click, or it is closed, replaced or so many seconds old before. */
bool bgfetch_popup_wait_for_click(unsigned seconds);

/* Services on the system bus, also through sd-bus. One thread at a time may call these functions. */

enum {
  /* The answer is an error, for example because the service does not run. */
  BGFETCH_BUS_REFUSED = -1,
  /* There is no bus, or no answer in time; the connection is closed. */
  BGFETCH_BUS_GONE = -2
};

/* Calls a method of a service that runs, with a text as its argument unless that is empty, and waits so many microseconds for its
   answer. Writes the values of the reply as text, and returns its length: each value begins with the byte 1F, and each structure
   or entry of a dictionary with 1E. Control characters are written as "?". An answer that does not fit counts as refused. */
int bgfetch_bus_ask(const char *service, const char *path, const char *interface, const char *method,
                    const char *argument, uint64_t patience, char *text, size_t room);
void bgfetch_bus_close(void);
/* A copy of the descriptor of the connection, readable when there are messages; -1 without one. */
int bgfetch_bus_descriptor(void);
/* Whether that was called for the present connection. */
bool bgfetch_bus_is_watched(void);
/* Reads messages without waiting. Whether a signal has come since the last call: 1 or 0, or that the bus is gone. */
int bgfetch_bus_news(void);

#endif
