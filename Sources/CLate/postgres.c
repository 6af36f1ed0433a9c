/* Loads libpq when it is first needed, and forwards calls to it. */

#include "CLate.h"
#include "late.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

static struct bgfetch_libpq_functions lib;

static const struct late_function functions[] = {BGFETCH_LIBPQ(LATE_ROW) {0}};

static struct late_library library = {{"libpq.so.5"}, functions, 0, ""};

int bgfetch_postgres_is_present(void) { return !late_load(&library); }

const struct bgfetch_libpq_functions *bgfetch_libpq(void) { return &lib; }

/* Constants of libpq-fe.h and postgres_ext.h. */
enum { connection_ok = 0, command_ok = 1, tuples_ok = 2, errors_default = 1, errors_verbose = 2 };

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

static int64_t milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits for the last result of what was sent. A server that is silent for `limit` seconds (0: for ever) counts as lost: libpq
   itself would wait for one that is stopped, or behind a network that keeps everything back. So does one that has not come to
   an end after four times as long, whatever it sends meanwhile. */
static bgfetch_postgres_result *answer(bgfetch_postgres *connection, int is_sent, int limit) {
  enum { slice = 100 }; /* Milliseconds: what TLS has read already does not wake poll(2). */
  bgfetch_postgres_result *last = NULL, *next;
  int silent = 0;
  const int64_t end = limit ? milliseconds() + 4000 * (int64_t)limit : INT64_MAX;
  if (!is_sent) return NULL;
  for (;;) {
    int unsent;
    while ((unsent = lib.PQflush(connection)) > 0 || lib.PQisBusy(connection)) {
      struct pollfd watched = {.fd = lib.PQsocket(connection), .events = (short)(POLLIN | (unsent > 0 ? POLLOUT : 0))};
      int ready = poll(&watched, 1, slice);
      if (ready < 0 && errno == EINTR) continue;
      silent = ready == 0 ? silent + slice : 0;
      /* Then libpq finds the connection closed. */
      if (ready < 0 || (limit && silent >= limit * 1000) || milliseconds() >= end) shutdown(watched.fd, SHUT_RDWR);
      if (!lib.PQconsumeInput(connection)) break;
    }
    if (!(next = lib.PQgetResult(connection))) return last;
    if (last) lib.PQclear(last);
    last = next;
  }
}

int bgfetch_postgres_is_connected(const bgfetch_postgres *connection) {
  return lib.PQstatus(connection) == connection_ok;
}

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

int bgfetch_postgres_notifications(bgfetch_postgres *connection, int process) {
  int count = 0;
  struct bgfetch_notification *next;
  while ((next = lib.PQnotifies(connection))) {
    count += next->process != process;
    lib.PQfreemem(next);
  }
  return count;
}

int bgfetch_postgres_has_succeeded(const bgfetch_postgres_result *result) {
  int status = lib.PQresultStatus(result);
  return status == command_ok || status == tuples_ok;
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
