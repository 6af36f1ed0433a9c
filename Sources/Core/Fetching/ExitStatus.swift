// How the program ends: its exit statuses, and the signals that ask it to stop.

/// The exit statuses of the program.
public enum ExitStatus: Equatable, Sendable {
  case success
  case internalError
  /// The command line is wrong.
  case usage
  /// Some feeds failed, but not all; or `status --problems` found failing feeds.
  case someFailed
  /// All attempted feeds failed; or `parse` found no feed.
  case allFailed
  /// The state or a documents directory cannot be read or written.
  case storage
  /// Try later: another run holds the lock, or the machine is offline.
  case tryLater
  /// The configuration is invalid or missing.
  case configuration
  /// Stopped by a signal, with all transfers suspended.
  case stopped(StopSignal)

  public var code: Int32 {
    switch self {
    case .success: 0
    case .internalError: 1
    case .usage: 2
    case .someFailed: 3
    case .allFailed: 4
    case .storage: 74
    case .tryLater: 75
    case .configuration: 78
    case .stopped(let signal): 128 + signal.rawValue
    }
  }
}

/// A signal that asks the process to stop.
public enum StopSignal: Int32, Sendable {
  /// `SIGHUP`: the terminal was closed, or the connection to it lost; nohup(1) prevents it.
  case hangUp = 1
  /// `SIGINT`: the interrupt key of the terminal.
  case interrupt = 2
  /// `SIGTERM`: kill(1), systemd or a shutdown.
  case terminate = 15
}
