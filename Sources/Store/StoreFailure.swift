// The failures of a store.

/// Why the store could not open, read or write; the change that failed is rolled back, and the store stays usable.
public enum StoreFailure: Error, Equatable, Sendable {
  /// The state directory belongs to another configuration, whose path is given.
  case belongsTo(configuration: String, path: String)
  /// A newer program made the tables: their version, and the version of this program, which works with the one after it too.
  case newerSchema(path: String, found: Int, known: Int)
  /// The file is damaged or not a database; the detail is the first problem that SQLite found.
  ///
  /// If the file is moved away, the next run starts from scratch: every feed gets a new baseline.
  case corrupt(path: String, detail: String)
  /// The file is the database of another program.
  case foreign(path: String)
  /// The path names a directory, a pipe or a device.
  case notAFile(path: String)
  /// The disk is full.
  case full(path: String, detail: String)
  /// Reading or writing failed below SQLite.
  case inputOutput(path: String, detail: String)
  /// The file, its directory or this connection does not allow writing.
  case readOnly(path: String, detail: String)
  /// Another process locked the file for longer than the busy timeout.
  case busy(path: String, detail: String)
  /// The file cannot be opened or created: no such directory, or no permission.
  case cannotOpen(path: String, detail: String)
  /// This process, or the whole system, has too many files open.
  case tooManyOpenFiles(path: String)
  /// The server of the store cannot be reached, or the connection to it was lost and reconnecting failed.
  case unreachable(path: String, detail: String)
  /// The server has answered with an error: its code (PostgreSQL, "Error Codes") and its words; without a code it was not asked.
  case refused(path: String, code: String, detail: String)
  /// A pooler gives each transaction another session of the server.
  case sharedSession(path: String)
  /// The database has no tables of bgfetch yet.
  case notPrepared(path: String)
  /// A state is to be copied to a store that has one already.
  case notEmpty(path: String)
  /// Other machines had no sign of life from this run for too long, and took its feeds over.
  case takenForDead(path: String)
  /// The store was closed before.
  case closed(path: String)
  /// SQLite was built without FTS5, so items cannot be searched.
  case noFullTextSearch
  /// Any other error of SQLite, with its extended result code.
  case other(path: String, code: Int, detail: String)

  /// Whether a try some seconds later may succeed: a server starts or stops, waits to be promoted, or has no connection left.
  public var mayPass: Bool {
    switch self {
    case .unreachable: true
    case .refused(_, let code, _):
      ["25006", "53300", "57P01", "57P02", "57P03", "57P05"].contains(code)
        || code.hasPrefix("08") && code != Self.uselessPlace
    default: false
    }
  }

  /// The code of a connection that cannot succeed as it is configured.
  public static let uselessPlace = "08001"
}
