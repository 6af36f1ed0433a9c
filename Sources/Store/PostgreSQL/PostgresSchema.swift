// The tables of a store on PostgreSQL: those of SQLite, so that there is one schema, and the functions of
// SQLite that its statements call.

public import Core
import Glibc

extension Store {
  /// Makes the tables of a store on PostgreSQL, or what older ones lack, while machines work; returns the version that it found,
  /// 0 for none.
  ///
  /// The user needs the right to make a schema in the database, or a schema `bgfetch` of its own.
  @discardableResult
  public static func prepare(_ settings: PostgresSettings) throws(StoreFailure) -> Int {
    let connection = try PostgresConnection(settings, isPatient: true)
    let found = try PostgresSchema.prepare(connection)
    try PostgresSchema.keepDays(in: Database(connection))
    return found
  }

  /// The version of the store's tables, which may be the one after `schemaVersion`.
  public func foundSchema() throws(StoreFailure) -> Int {
    try database.isFile ? database.schemaVersion() : PostgresSchema.version(of: database)
  }
}

enum PostgresSchema {
  /// Makes the tables, or does what a step adds to them; only one process at a time.
  static func prepare(
    _ connection: PostgresConnection, _ steps: [Schema.Step] = Schema.steps
  ) throws(StoreFailure) -> Int {
    let database = Database(connection)
    // Nobody waits in a transaction, because CREATE INDEX CONCURRENTLY waits for the end of those.
    while try !connection.take("prepare") { usleep(100_000) }
    let found = try version(of: database)
    if found > Schema.version { try requireUsable(in: database) }
    guard found > 0 else {
      try database.transaction(.survivesPowerCut) { () throws(StoreFailure) in
        try database.execute("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0")
        try create(in: database, steps)
      }
      return 0
    }
    for step in steps where step.version > found { try take(step, in: database) }
    for index in steps.flatMap(\.indexes) { try make(index, in: database) }
    return found
  }

  /// Changes the tables by a step.
  ///
  /// A change of a table waits for those who use it, and everyone else waits behind it. So it gives up after a second, and tries
  /// again.
  private static func take(_ step: Schema.Step, in database: borrowing Database) throws(StoreFailure) {
    for tries in 0... {
      do throws(StoreFailure) {
        return try database.transaction(.survivesPowerCut) { () throws(StoreFailure) in
          try database.execute("SET LOCAL lock_timeout = 1000")
          try database.execute(PostgresText.statement(step.changes))
          try database.execute("UPDATE schema_version SET version = \(step.version)")
        }
      } catch {
        guard case .busy = error, tries < 100 else { throw error }
        usleep(.random(in: 200_000...1_000_000))
      }
    }
  }

  /// Makes an index of a step if it is missing, or was cut off in the middle; writers go on meanwhile.
  private static func make(_ index: String, in database: borrowing Database) throws(StoreFailure) {
    let name = index.prefix { $0 != " " }
    let isThere = "SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(?1) AND indisvalid"
    guard try !database.exists(isThere, "bgfetch.\(name)") else { return }
    for sql in [
      "SET statement_timeout = 0", "DROP INDEX CONCURRENTLY IF EXISTS \(name)",
      "CREATE INDEX CONCURRENTLY \(index)",
    ] {
      try database.execute(PostgresText.statement(sql))
    }
  }

  /// The version of the tables; 0 if there are none.
  static func version(of database: borrowing Database) throws(StoreFailure) -> Int {
    guard
      try database.exists(
        "SELECT 1 FROM pg_tables WHERE schemaname = 'bgfetch' AND tablename = 'schema_version'")
    else { return 0 }
    let found = try database.value("SELECT version FROM schema_version") ?? 0
    guard found >= 0 else { throw .foreign(path: database.path) }
    return found
  }

  /// Fails unless the database has all tables of this program, and none of a version after `newest`, with which it cannot work.
  static func requireUsable(
    in database: borrowing Database, newest: Int = Schema.newestUsable
  ) throws(StoreFailure) {
    let found = try version(of: database)
    guard found >= Store.schemaVersion else { throw .notPrepared(path: database.path) }
    guard found <= newest else {
      throw .newerSchema(path: database.path, found: found, known: Store.schemaVersion)
    }
  }

  /// Makes the schema with all tables, and in them what a new file of SQLite has.
  private static func create(
    in database: borrowing Database, _ steps: [Schema.Step]
  ) throws(StoreFailure) {
    let model = try Database(path: "a new store", access: .memory)
    try model.makeTables(Schema.tables, steps)
    try database.execute(
      "CREATE SCHEMA IF NOT EXISTS bgfetch; CREATE TABLE schema_version (version bigint NOT NULL)")
    try database.execute("INSERT INTO schema_version (version) VALUES (\(try model.schemaVersion()))")
    let parts: [String] = try model.rows(
      """
      SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite@_%' ESCAPE '@'
      ORDER BY type <> 'table', rowid
      """)
    for part in parts { try database.execute(PostgresText.statement(part)) }
    for table in try TableCopy.tables(of: model) {
      if table.isNumbered, !dailyTables.contains(where: { $0.0 == table.name }) {
        try database.execute(
          "ALTER TABLE \(table.sqlName) ALTER COLUMN number ADD GENERATED BY DEFAULT AS IDENTITY")
      }
      try TableCopy.copy(table, from: model, to: database)
    }
    try database.execute(functions)
    try makePartitioned(in: database)
  }

  /// Functions of SQLite; a list is an array here, and a list of JSON a text as there.
  private static let functions = """
    CREATE FUNCTION iif(boolean, anycompatible, anycompatible) RETURNS anycompatible LANGUAGE sql IMMUTABLE
      AS 'SELECT CASE WHEN $1 THEN $2 ELSE $3 END';
    CREATE FUNCTION max(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE
      AS 'SELECT CASE WHEN $1 IS NOT NULL AND $2 IS NOT NULL THEN greatest($1, $2) END';
    CREATE FUNCTION max(bigint, bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE
      AS 'SELECT CASE WHEN num_nulls($1, $2, $3) = 0 THEN greatest($1, $2, $3) END';
    CREATE FUNCTION max(bigint, bigint, bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE
      AS 'SELECT CASE WHEN num_nulls($1, $2, $3, $4) = 0 THEN greatest($1, $2, $3, $4) END';
    CREATE FUNCTION min(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE
      AS 'SELECT CASE WHEN $1 IS NOT NULL AND $2 IS NOT NULL THEN least($1, $2) END';

    CREATE FUNCTION json_each(bigint[]) RETURNS TABLE (id bigint, value bigint) LANGUAGE sql IMMUTABLE ROWS 10
      AS 'SELECT ordinality, unnest FROM unnest($1) WITH ORDINALITY';
    CREATE FUNCTION json_each(text[]) RETURNS TABLE (id bigint, value text) LANGUAGE sql IMMUTABLE ROWS 10
      AS 'SELECT ordinality, unnest FROM unnest($1) WITH ORDINALITY';
    CREATE FUNCTION json_each(text) RETURNS TABLE (id bigint, value text) LANGUAGE sql IMMUTABLE ROWS 10
      AS $$ SELECT ordinality, value #>> '{}'
      FROM json_array_elements($1::json) WITH ORDINALITY AS element (value, ordinality) $$;
    CREATE FUNCTION json_extract(text, text) RETURNS text LANGUAGE sql IMMUTABLE
      AS $$ SELECT $1::json ->> substr($2, 3) $$;
    CREATE FUNCTION json_remove(text, text, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
      SELECT '{' || coalesce(string_agg(to_json(key) || ':' || value, ',' ORDER BY ordinality), '') || '}'
      FROM pg_catalog.json_each($1::json) WITH ORDINALITY
      WHERE key NOT IN (substr($2, 3), substr($3, 3)) $$;
    """
}
