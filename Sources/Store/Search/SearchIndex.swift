// The full-text index of items: `search.db` beside the store, made by the first search.
//
// It is a file of its own so that runs never write it, and the schema of the store does not depend on FTS5. All of it
// follows from the store: deleting it does no harm, and a damaged index is rebuilt.

import Core
import Glibc

/// The words of the items, as of the last search.
final class SearchIndex {
  static let fileName = "search.db"

  /// The version of the tables and of the rules of `SearchWords`; an index of another version is rebuilt.
  private static let version = 2

  private let database: Database

  /// Opens or creates the index in a state directory.
  ///
  /// If this user does not own the directory or cannot write to it, the index is in memory.
  init(in directory: String) throws {
    database = try Self.open(directory)
    guard try database.exists("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'") else {
      throw StoreFailure.noFullTextSearch
    }
    if try database.value("PRAGMA user_version", as: Int.self) != Self.version { try makeTables() }
  }

  private static func open(_ directory: String) throws -> Database {
    let path = directory + "/" + fileName
    // Root may search the state of a service, but the service's user could not write an index that root created.
    var facts = stat()
    guard stat(directory, &facts) == 0, facts.st_uid == geteuid(), access(directory, W_OK) == 0 else {
      return try Database(path: path, access: .memory)
    }
    try Store.requireFile(path)
    try Store.makePrivateFile(path)
    let database = try Database(path: path, access: .write)
    database.waitForLocks(for: Store.lockPatience)
    return database
  }

  /// Removes the index of a state directory.
  static func remove(from directory: String) {
    for end in ["", "-journal"] { unlink(directory + "/" + fileName + end) }
  }

  /// Creates empty tables.
  private func makeTables() throws {
    try database.transaction {
      // Words without the texts: a third of the size. A row of `words` cannot be deleted then; without its row in `entry`
      // it is never found. The texts are those of `SearchWords`: FTS5's own tokenizers know no language without blanks,
      // and `c++` is `c` to them.
      try database.execute(
        """
        DROP TABLE IF EXISTS words;
        DROP TABLE IF EXISTS entry;
        CREATE VIRTUAL TABLE words USING fts5(
          title, author, summary, content, content = '', tokenize = 'ascii tokenchars ''\(SearchWords.symbols)''');
        CREATE TABLE entry (item INTEGER PRIMARY KEY, row INTEGER NOT NULL UNIQUE, hash INTEGER NOT NULL) STRICT;
        PRAGMA user_version = \(Self.version);
        """)
    }
  }

  /// Removes the entries of items that are gone or have changed; returns the numbers of items to add.
  ///
  /// `present` are the hashes of the texts of all items, by number.
  func removeOutdated(present: [Int64: Int64]) throws -> [Int64] {
    let entries: [(Int64, Int64)] = try database.rows("SELECT item, hash FROM entry")
    var known = Dictionary(entries) { first, _ in first }
    let outdated = known.filter { present[$0.key] != $0.value }.map(\.key)
    if !outdated.isEmpty {
      try database.run("DELETE FROM entry WHERE item IN (SELECT value FROM json_each(?1))", outdated)
      for number in outdated { known[number] = nil }
      let rows = try database.value("SELECT count(*) FROM words_docsize", as: Int.self) ?? 0
      if rows > 2 * known.count + 1000 {
        try makeTables()
        known = [:]
      }
    }
    return present.keys.filter { known[$0] == nil }.sorted()
  }

  /// Adds items with the hashes of their texts, in one transaction.
  func add(_ items: [(item: StoredItem, hash: Int64)]) throws {
    var words = SearchWords()
    try database.transaction {
      for (item, hash) in items {
        let record = item.record
        let content = record.details?.content.map {
          plainText(fromHTML: $0, limit: Int(DetailBounds.mostContent.bytes))
        }
        let lines = [record.title, record.author, record.summary, content].map { text in
          text.map { words.line(of: $0) }
        }
        let row = try database.insert(
          "INSERT INTO words (title, author, summary, content) VALUES (?1, ?2, ?3, ?4)", lines[0], lines[1],
          lines[2], lines[3])
        try database.run(
          "INSERT OR REPLACE INTO entry (item, row, hash) VALUES (?1, ?2, ?3)", item.number,
          row, hash)
      }
    }
  }

  /// The numbers of the items that match a query.
  func items(matching query: SearchQuery) throws -> [Int64] {
    try database.rows(
      "SELECT item FROM words JOIN entry ON entry.row = words.rowid WHERE words MATCH ?1", query.text)
  }
}
