// The settings of machines that share a state: the database, and the sections of the configuration that must be the same.

/// A PostgreSQL database that keeps the state of several machines.
public struct StateServer: Hashable, Sendable {
  /// A connection string or URI (libpq, "Connection Strings").
  public var connection: String
  public var password: Secret?

  public init(connection: String, password: Secret? = nil) {
    (self.connection, self.password) = (connection, password)
  }
}

/// The fingerprints of the sections of a configuration that decide what is fetched and told, by key.
///
/// Comments, the order of keys, and what may differ between machines do not count.
public struct SharedSections: Hashable, Sendable {
  public var fingerprints: [String: UInt64]

  public init(_ fingerprints: [String: UInt64]) { self.fingerprints = fingerprints }

  /// The sections in which another configuration differs, in the order of the alphabet.
  public func differences(from other: SharedSections) -> [String] {
    Set(fingerprints.keys).union(other.fingerprints.keys).sorted()
      .filter { fingerprints[$0] != other.fingerprints[$0] }
  }
}
