// The parts of <sqlite3.h> that Swift cannot import: cast macros and calls with variable arguments.
#ifndef BGFETCH_CSQLITE_H
#define BGFETCH_CSQLITE_H

#include <sqlite3.h>

/// Binds a copy of a number of bytes of UTF-8 (SQLITE_TRANSIENT is a cast, which Swift does not import).
static inline int bgfetch_sqlite_bind_text(
  sqlite3_stmt *statement, int index, const char *bytes, int count
) {
  return sqlite3_bind_text(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// Binds a copy of a number of bytes.
static inline int bgfetch_sqlite_bind_blob(
  sqlite3_stmt *statement, int index, const void *bytes, int count
) {
  return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// Lets SQLite not count its memory, for which it locks a mutex at each allocation; to be called before the first connection.
static inline int bgfetch_sqlite_count_no_memory(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/// Switches one of the connection's options on or off (sqlite3_db_config takes variable arguments).
static inline int bgfetch_sqlite_set_option(sqlite3 *connection, int option, int on) {
  return sqlite3_db_config(connection, option, on, (int *)0);
}

#endif
