/* Loads libpq when it is first needed, and forwards calls to it. */

#include "CLate.h"
#include "late.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* As declared by libpq-fe.h; none has changed since PostgreSQL 8. */
typedef void (*notice_processor)(void *context, const char *message);

/* All functions used. The table is made from this list. */
#define FUNCTIONS(X)                                                                                            \
  X(PQconnectdbParams, bgfetch_postgres *, (const char *const *, const char *const *, int))                     \
  X(PQreset, void, (bgfetch_postgres *))                                                                        \
  X(PQfinish, void, (bgfetch_postgres *))                                                                       \
  X(PQstatus, int, (const bgfetch_postgres *))                                                                  \
  X(PQerrorMessage, char *, (const bgfetch_postgres *))                                                         \
  X(PQsetErrorVerbosity, int, (bgfetch_postgres *, int))                                                        \
  X(PQbackendPID, int, (const bgfetch_postgres *))                                                              \
  X(PQhost, char *, (const bgfetch_postgres *))                                                                 \
  X(PQdb, char *, (const bgfetch_postgres *))                                                                   \
  X(PQsetNoticeProcessor, notice_processor, (bgfetch_postgres *, notice_processor, void *))                     \
  X(PQsetnonblocking, int, (bgfetch_postgres *, int))                                                           \
  X(PQsendQuery, int, (bgfetch_postgres *, const char *))                                                       \
  X(PQsendPrepare, int, (bgfetch_postgres *, const char *, const char *, int, const unsigned *))                \
  X(PQsendQueryPrepared, int,                                                                                   \
    (bgfetch_postgres *, const char *, int, const char *const *, const int *, const int *, int))                \
  X(PQflush, int, (bgfetch_postgres *))                                                                         \
  X(PQisBusy, int, (bgfetch_postgres *))                                                                        \
  X(PQsocket, int, (const bgfetch_postgres *))                                                                  \
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

static struct {
  FUNCTIONS(LATE_MEMBER)
} lib;

static const struct late_function functions[] = {FUNCTIONS(LATE_ROW) {0}};

static struct late_library library = {{"libpq.so.5"}, functions, 0, ""};

int bgfetch_postgres_is_present(void) { return !late_load(&library); }

/* Constants of libpq-fe.h and postgres_ext.h. */
enum { connection_ok = 0, command_ok = 1, tuples_ok = 2, field_code = 'C', errors_default = 1, errors_verbose = 2 };

/* Notices are not errors; libpq would print them. */
static void ignore_notice(void *context, const char *message) { (void)context, (void)message; }

bgfetch_postgres *bgfetch_postgres_open(const char *place, const char *password, const char *name, int timeout) {
  char seconds[16];
  snprintf(seconds, sizeof seconds, "%d", timeout);
  /* What stands behind `dbname` wins over the place. A parameter that is NULL is left out. */
  const char *const keys[] = {"connect_timeout", "tcp_user_timeout", "keepalives_idle", "keepalives_interval",
                              "keepalives_count", "dbname", "password", "application_name",
                              "client_encoding", NULL};
  const char *const values[] = {seconds, "10000", "10", "5", "3", place, password, name, "UTF8", NULL};
  bgfetch_postgres *connection = lib.PQconnectdbParams(keys, values, 1);
  if (connection) {
    /* A server has answered if two blanks are there, as in "FATAL:  ". Its words are in its language; only a further try tells
       the code of the error. */
    if (lib.PQstatus(connection) != connection_ok && strstr(lib.PQerrorMessage(connection), ":  ")) {
      lib.PQsetErrorVerbosity(connection, errors_verbose);
      lib.PQreset(connection);
      lib.PQsetErrorVerbosity(connection, errors_default);
    }
    lib.PQsetNoticeProcessor(connection, ignore_notice, NULL);
    lib.PQsetnonblocking(connection, 1);
  }
  return connection;
}

/* Waits for the last result of what was sent. A server that is silent for `limit` seconds (0: for ever) counts as lost: libpq
   itself would wait for one that is stopped, or behind a network that keeps everything back. */
static bgfetch_postgres_result *answer(bgfetch_postgres *connection, int is_sent, int limit) {
  enum { slice = 100 }; /* Milliseconds: what TLS has read already does not wake poll(2). */
  bgfetch_postgres_result *last = NULL, *next;
  int silent = 0;
  if (!is_sent) return NULL;
  for (;;) {
    int unsent;
    while ((unsent = lib.PQflush(connection)) > 0 || lib.PQisBusy(connection)) {
      struct pollfd watched = {.fd = lib.PQsocket(connection), .events = (short)(POLLIN | (unsent > 0 ? POLLOUT : 0))};
      int ready = poll(&watched, 1, slice);
      if (ready < 0 && errno == EINTR) continue;
      silent = ready == 0 ? silent + slice : 0;
      /* Then libpq finds the connection closed. */
      if (ready < 0 || (limit && silent >= limit * 1000)) shutdown(watched.fd, SHUT_RDWR);
      if (!lib.PQconsumeInput(connection)) break;
    }
    if (!(next = lib.PQgetResult(connection))) return last;
    if (last) lib.PQclear(last);
    last = next;
  }
}

void bgfetch_postgres_close(bgfetch_postgres *connection) { lib.PQfinish(connection); }

int bgfetch_postgres_is_connected(const bgfetch_postgres *connection) {
  return lib.PQstatus(connection) == connection_ok;
}

const char *bgfetch_postgres_message(const bgfetch_postgres *connection) { return lib.PQerrorMessage(connection); }
int bgfetch_postgres_backend(const bgfetch_postgres *connection) { return lib.PQbackendPID(connection); }
const char *bgfetch_postgres_host(const bgfetch_postgres *connection) { return lib.PQhost(connection); }
const char *bgfetch_postgres_database(const bgfetch_postgres *connection) { return lib.PQdb(connection); }

bgfetch_postgres_result *bgfetch_postgres_execute(bgfetch_postgres *connection, const char *sql, int limit) {
  return answer(connection, lib.PQsendQuery(connection, sql), limit);
}

bgfetch_postgres_result *bgfetch_postgres_prepare(bgfetch_postgres *connection, const char *name,
                                                  const char *sql, int count, const unsigned *types, int limit) {
  return answer(connection, lib.PQsendPrepare(connection, name, sql, count, types), limit);
}

bgfetch_postgres_result *bgfetch_postgres_run(bgfetch_postgres *connection, const char *name, int count,
                                              const void *bytes, const int *lengths, const int *formats,
                                              int limit) {
  const char **values = malloc((size_t)(count ? count : 1) * sizeof *values), *next = bytes;
  if (!values) return NULL;
  for (int i = 0; i < count; i++) {
    values[i] = lengths[i] < 0 ? NULL : next;
    next += lengths[i] + 1;
  }
  int is_sent = lib.PQsendQueryPrepared(connection, name, count, values, lengths, formats, 1);
  free(values);
  return answer(connection, is_sent, limit);
}

void bgfetch_postgres_free(bgfetch_postgres_result *result) { lib.PQclear(result); }

int bgfetch_postgres_has_succeeded(const bgfetch_postgres_result *result) {
  int status = lib.PQresultStatus(result);
  return status == command_ok || status == tuples_ok;
}

const char *bgfetch_postgres_code(const bgfetch_postgres_result *result) {
  return lib.PQresultErrorField(result, field_code);
}

const char *bgfetch_postgres_failure(const bgfetch_postgres_result *result) {
  return lib.PQresultErrorMessage(result);
}

const char *bgfetch_postgres_changes(bgfetch_postgres_result *result) { return lib.PQcmdTuples(result); }
int bgfetch_postgres_rows(const bgfetch_postgres_result *result) { return lib.PQntuples(result); }

const char *bgfetch_postgres_column_name(const bgfetch_postgres_result *result, int column) {
  return lib.PQfname(result, column);
}

unsigned bgfetch_postgres_column_type(const bgfetch_postgres_result *result, int column) {
  return lib.PQftype(result, column);
}

int bgfetch_postgres_is_null(const bgfetch_postgres_result *result, int row, int column) {
  return lib.PQgetisnull(result, row, column);
}

int64_t bgfetch_postgres_integer(const bgfetch_postgres_result *result, int row, int column) {
  const unsigned char *bytes = (const unsigned char *)lib.PQgetvalue(result, row, column);
  int count = lib.PQgetlength(result, row, column);
  if (count < 1) return 0;
  /* A truth value is one byte; the others are big-endian and signed. */
  uint64_t value = count > 1 && bytes[0] & 0x80 ? UINT64_MAX : 0;
  for (int i = 0; i < count && i < 8; i++) value = value << 8 | bytes[i];
  return (int64_t)value;
}

const char *bgfetch_postgres_bytes(const bgfetch_postgres_result *result, int row, int column, int *count) {
  *count = lib.PQgetlength(result, row, column);
  return lib.PQgetvalue(result, row, column);
}
