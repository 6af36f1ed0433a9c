// What hooks printed for the identifiers of notifications, so that a later message can replace an earlier one.

public import Core

extension Store {
  /// What a hook printed last for an identifier; nil if it was in another login session, where the notifier
  /// has forgotten it.
  public func printedIdentifier(
    _ hook: String, identifier: String, session: String
  ) throws(StoreFailure) -> String? {
    try database.value(
      "SELECT text FROM printed WHERE hook = ?1 AND identifier = ?2 AND session = ?3",
      hook, identifier, session)
  }

  /// Records what a hook printed; within a transaction.
  func write(_ printed: PrintedIdentifier, of hook: String, at now: Instant) throws(StoreFailure) {
    guard let text = printed.text else {
      return try database.run(
        "DELETE FROM printed WHERE hook = ?1 AND identifier = ?2", hook, printed.identifier)
    }
    try database.run(
      """
      INSERT INTO printed (hook, identifier, session, text, at) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT DO UPDATE SET (session, text, at) = (?3, ?4, ?5)
      """, hook, printed.identifier, printed.session, text, now)
  }
}
