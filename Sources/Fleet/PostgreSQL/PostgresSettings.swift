// Which PostgreSQL server to connect to, and how.

public import Core
import Machine

/// The parameters of a connection to PostgreSQL.
public struct PostgresSettings: Sendable {
  /// A connection string or URI of libpq, without a password.
  public var connection: String
  public var password: String?
  /// The name of this connection in the server's lists.
  public var name: String
  /// The name of this machine, which its runs get.
  public var machine: String?
  /// How long to try to connect, and to connect again; each time at least once.
  public var patience = Interval.seconds(30)
  /// Whether nothing is written, so that a standby will do.
  var onlyReads = false

  public init(
    connection: String, password: String? = nil, name: String = "bgfetch"
  ) {
    (self.connection, self.password, self.name) = (connection, password, name)
  }

  /// The connection to a configured database.
  public init(_ server: StateServer, password: String?) {
    self.init(
      connection: server.connection, password: password, name: "bgfetch, process \(Machine.processIdentifier)"
    )
  }
}
