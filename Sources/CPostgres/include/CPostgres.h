/* PostgreSQL through the system's libpq, loaded when it is first needed.

   Only a store on a PostgreSQL server needs it: nothing links against it, its headers are not needed, and a program with its
   state in a file does not pay for loading it. https://www.postgresql.org/docs/current/libpq.html */

#ifndef BGFETCH_CPOSTGRES_H
#define BGFETCH_CPOSTGRES_H

#include <stddef.h>
#include <stdint.h>

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

/* Connections, parameters and results are for one thread at a time. */
typedef struct pg_conn bgfetch_postgres;
typedef struct pg_result bgfetch_postgres_result;
typedef struct bgfetch_postgres_parameters bgfetch_postgres_parameters;

/* Whether libpq is installed. */
int bgfetch_postgres_is_present(void);

/* Connects, and waits for it; NULL only without memory. `place` is a connection string or URI; `password` and `options`, those of
   the server, may be NULL. `timeout` is that of the connection, in seconds, and of unacknowledged data. */
bgfetch_postgres *bgfetch_postgres_open(const char *place, const char *password, const char *name,
                                        const char *options, int timeout);
void bgfetch_postgres_close(bgfetch_postgres *connection);
int bgfetch_postgres_is_connected(const bgfetch_postgres *connection);
/* The last error, with a newline at its end. */
const char *bgfetch_postgres_message(const bgfetch_postgres *connection);
/* The host that it is connected to, and the database. */
const char *bgfetch_postgres_host(const bgfetch_postgres *connection);
const char *bgfetch_postgres_database(const bgfetch_postgres *connection);

bgfetch_postgres_parameters *bgfetch_postgres_parameters_new(void);
void bgfetch_postgres_parameters_free(bgfetch_postgres_parameters *parameters);
void bgfetch_postgres_parameters_clear(bgfetch_postgres_parameters *parameters);
/* Each returns 0 without memory. Bytes are copied. */
int bgfetch_postgres_add_null(bgfetch_postgres_parameters *parameters, unsigned type);
int bgfetch_postgres_add_integer(bgfetch_postgres_parameters *parameters, int64_t value);
int bgfetch_postgres_add_real(bgfetch_postgres_parameters *parameters, double value);
/* A text or bytes. */
int bgfetch_postgres_add_bytes(bgfetch_postgres_parameters *parameters, unsigned type, const void *bytes,
                               size_t count);
/* An array as text: {1,2}. */
int bgfetch_postgres_add_array(bgfetch_postgres_parameters *parameters, unsigned type, const void *bytes,
                               size_t count);

/* Each waits for the server, and returns a result to be freed; NULL if nothing could be sent. A server that is silent for
   `limit` seconds counts as lost; 0 means no limit. */
bgfetch_postgres_result *bgfetch_postgres_execute(bgfetch_postgres *connection, const char *sql, int limit);
bgfetch_postgres_result *bgfetch_postgres_prepare(bgfetch_postgres *connection, const char *name,
                                                  const char *sql,
                                                  const bgfetch_postgres_parameters *parameters, int limit);
bgfetch_postgres_result *bgfetch_postgres_run(bgfetch_postgres *connection, const char *name,
                                              const bgfetch_postgres_parameters *parameters, int limit);
void bgfetch_postgres_free(bgfetch_postgres_result *result);

int bgfetch_postgres_has_succeeded(const bgfetch_postgres_result *result);
/* The code of an error, five characters ("PostgreSQL Error Codes"); NULL if the connection failed. */
const char *bgfetch_postgres_code(const bgfetch_postgres_result *result);
const char *bgfetch_postgres_failure(const bgfetch_postgres_result *result);
/* How many rows a statement inserted, changed or deleted, as a decimal number; empty for others. */
const char *bgfetch_postgres_changes(bgfetch_postgres_result *result);
int bgfetch_postgres_rows(const bgfetch_postgres_result *result);

const char *bgfetch_postgres_column_name(const bgfetch_postgres_result *result, int column);
unsigned bgfetch_postgres_column_type(const bgfetch_postgres_result *result, int column);
int bgfetch_postgres_is_null(const bgfetch_postgres_result *result, int row, int column);
/* An integer of any size or a truth value, and a real number; the column must have such a type. */
int64_t bgfetch_postgres_integer(const bgfetch_postgres_result *result, int row, int column);
double bgfetch_postgres_real(const bgfetch_postgres_result *result, int row, int column);
const char *bgfetch_postgres_bytes(const bgfetch_postgres_result *result, int row, int column, int *count);

#endif
