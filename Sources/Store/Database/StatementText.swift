// The key under which prepared statements are kept.

/// The text of a statement, hashed by its length alone: hashing a long statement takes as long as running a short one, and few
/// have the same length.
struct StatementText: Hashable {
  let sql: String

  func hash(into hasher: inout Hasher) { hasher.combine(sql.utf8.count) }
}
