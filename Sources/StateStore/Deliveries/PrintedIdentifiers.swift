// What hooks printed for the identifiers of notifications, so that a later message can replace an earlier one.

import Core

/// What a hook printed for an identifier.
public struct PrintedIdentifier: Hashable, Sendable {
  /// The identifier of the notification.
  public var identifier: String
  /// The login session in which the hook ran.
  public var session: String
  /// The line it printed; nil is none that counts, and what it printed before does not count any more either.
  public var text: String?

  /// What was printed for an identifier in a session.
  public init(identifier: String, session: String, text: String?) {
    self.identifier = identifier
    self.session = session
    self.text = text
  }
}

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
