// Signals that ask the process to stop, as values.

import CLinux
public import Core
import Glibc

/// Signal handling of this process; to be set once, at its beginning.
public enum Signals {
  /// Makes writes to a closed pipe, or beyond the limit on file sizes (`ulimit -f`, `LimitFSIZE=`), fail instead of ending
  /// the process.
  ///
  /// Children still start with default signals.
  public static func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
  }

  /// The stop signals from now on; they no longer end the process.
  ///
  /// A signal that was ignored when the process started stays ignored. The stream never ends.
  public static func stops() throws(SystemError) -> AsyncStream<StopSignal> {
    let pipe = try reported()
    let (stream, continuation) = AsyncStream<StopSignal>.makeStream()
    try startThread {
      // The other end is never closed, so an empty read is an error of the system.
      while let bytes = try? pipe.read(atMost: 16), !bytes.isEmpty {
        for stop in bytes.compactMap({ StopSignal(rawValue: Int32($0)) }) { continuation.yield(stop) }
      }
      continuation.finish()
    }
    return stream
  }

  /// A pipe with the numbers of the stop signals from now on.
  fileprivate static func reported() throws(SystemError) -> Descriptor {
    let pipe = try Pipe()
    try pipe.writing.stopWaiting()
    // Never closed: the signal handler may write to it as long as the process lives.
    let writing = try pipe.writing.call { fcntl($0, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) }
    try systemCall { bgfetch_report_stop_signals(writing) }
    return pipe.reading
  }
}

/// The stop signals of a process that waits for them in poll(2); they no longer end it.
public struct StopSignals {
  let pipe: Descriptor

  public init() throws(SystemError) {
    pipe = try Signals.reported()
    try pipe.stopWaiting()
  }

  /// The signals since the last call.
  public func received() -> [StopSignal] {
    ((try? pipe.read(atMost: 16)) ?? []).compactMap { StopSignal(rawValue: Int32($0)) }
  }
}
