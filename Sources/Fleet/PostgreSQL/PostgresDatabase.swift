// How a server is a database of the store: transactions, the version of the tables, and copies of whole tables.

import Core
import Store

extension PostgresConnection {
  /// How a transaction sees what others commit meanwhile ("Transaction Isolation").
  enum Isolation: String {
    case readCommitted = "READ COMMITTED"
    case repeatableRead = "REPEATABLE READ"
    case serializable = "SERIALIZABLE"
  }

  /// Where `body` relies on rows that it reads, others who change them get in its way; otherwise only those who change the same rows
  /// ("Repeatable Read Isolation Level").
  func transaction<Result>(
    _ durability: Database.Durability, reliesOnReadRows: Bool, _ body: () throws -> Result
  ) throws -> Result {
    try transaction(
      reliesOnReadRows ? .serializable : .repeatableRead, isDurable: durability == .survivesPowerCut, body)
  }

  func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
    try transaction(onlyReads: true, body)
  }

  func schemaVersion() throws -> Int {
    let database = Database(self)
    guard
      try database.exists(
        "SELECT 1 FROM pg_tables WHERE schemaname = 'bgfetch' AND tablename = 'schema_version'")
    else { return 0 }
    let found = try database.value("SELECT version FROM schema_version") ?? 0
    guard found >= 0 else { throw StoreFailure.foreign(path: path) }
    return found
  }

  /// All rows of a query arrive at once, and there may be millions.
  func readAll(_ query: String, _ read: (String) throws -> Int) throws {
    try execute("DECLARE copied NO SCROLL CURSOR FOR \(query)")
    while try read("FETCH 1000 FROM copied") == 1000 {}
    try execute("CLOSE copied")
  }

  func continueNumbers(of table: TableCopy.Table, after last: Int64) throws {
    // The upper bits of a number may be a day (PostgresPartitions).
    let number = max(1, last & ((1 << PostgresSchema.bitsBelowDay) - 1))
    try execute(
      "SELECT setval(pg_get_serial_sequence('bgfetch.\(table.sqlName)', 'number'), \(number))")
  }
}
