// The numbers the program ends with; listed in bgfetch(1), never reused.

import Glibc
import Host
import Sync

/// The numbers the program ends with.
enum ExitStatus: Hashable {
  /// Nothing failed.
  case success
  /// An internal error.
  case internalError
  /// The command line is wrong.
  case usage
  /// Some feeds failed, others did not; or `status --problems` found some.
  case someFailed
  /// Every attempted feed failed; or `parse` read no feed.
  case allFailed
  /// The state or a documents directory cannot be read or written.
  case storage
  /// Try later: another run holds the lock, or the machine is offline.
  case tryLater
  /// The configuration is wrong, or there is none.
  case configuration
  /// Stopped by a signal, everything suspended.
  case stopped(StopSignal)

  /// The number.
  var code: Int32 {
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

  /// The status of a run, by its report.
  init(of report: RunReport) {
    switch report.exitStatus {
    case 3: self = .someFailed
    case 4: self = .allFailed
    case 74: self = .storage
    case 75: self = .tryLater
    default: self = .success
    }
  }

  /// Ends the process.
  func end() -> Never {
    exit(code)
  }
}
