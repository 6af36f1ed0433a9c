// Signals that ask the process to stop, as a stream of values.

import CLinux
import Glibc

public enum StopSignal: Int32, Hashable, Sendable {
  /// `SIGHUP`: the terminal was closed, or the connection to it lost; nohup(1) prevents it.
  case hangUp = 1
  /// `SIGINT`: the interrupt key of the terminal.
  case interrupt = 2
  /// `SIGTERM`: kill(1), systemd or a shutdown.
  case terminate = 15
}

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
    let pipe = try Pipe()
    try pipe.writing.stopWaiting()
    // Never closed: the signal handler may write to it as long as the process lives.
    let writing = try pipe.writing.call { fcntl($0, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) }
    try systemCall { bgfetch_report_stop_signals(writing) }
    let (stream, continuation) = AsyncStream<StopSignal>.makeStream()
    try startThread {
      // The other end is never closed, so an empty read is an error of the system.
      while let bytes = try? pipe.reading.read(atMost: 16), !bytes.isEmpty {
        for byte in bytes {
          if let stop = StopSignal(rawValue: Int32(byte)) { continuation.yield(stop) }
        }
      }
      continuation.finish()
    }
    return stream
  }
}
