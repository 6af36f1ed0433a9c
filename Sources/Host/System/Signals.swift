// Signals that ask the process to stop, as a stream of values. What stopping means is the run's business.

import CLinux
import Glibc

/// A signal that asks the process to stop in good order.
public enum StopSignal: Int32, Hashable, Sendable {
  /// `SIGHUP`, when the terminal is closed or the connection to it lost; nohup(1) keeps it away.
  case hangUp = 1
  /// `SIGINT`, from the terminal's interrupt key.
  case interrupt = 2
  /// `SIGTERM`, from kill(1), systemd or a shutdown.
  case terminate = 15
}

/// What this process does about signals; to be set once, at its beginning.
public enum Signals {
  /// Makes writing to a closed pipe, and beyond the limit on file sizes (`ulimit -f`, `LimitFSIZE=`), an error of the
  /// write instead of the end of the process.
  ///
  /// Children start with default signals all the same.
  public static func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
  }

  /// The stop signals that arrive from now on, each as often as it arrives; they no longer end the process.
  ///
  /// One that the process was started with as ignored stays so. The stream never ends by itself.
  public static func stops() throws(SystemError) -> AsyncStream<StopSignal> {
    let pipe = try Pipe()
    try pipe.writing.stopWaiting()
    // The handler may write to its end as long as the process lives, so it is given away for good.
    let writing = try pipe.writing.call { fcntl($0, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) }
    try systemCall { bgfetch_report_stop_signals(writing) }
    let (stream, continuation) = AsyncStream<StopSignal>.makeStream()
    try startThread {
      // The other end is never closed, so a read that gives nothing means that the system refuses to go on.
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
