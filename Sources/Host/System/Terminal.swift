// What is at the other end of standard output and standard error.

import CLinux
import Glibc

/// One of the two streams that the program prints to.
public enum StandardStream: Int32, Hashable, Sendable {
  /// The answer.
  case output = 1
  /// About the run.
  case error = 2

  /// Puts `/dev/null` in the place of each standard stream that the program was started without.
  ///
  /// To be called before anything is opened: the next file, the database even, would otherwise get the
  /// stream's number and be printed into.
  public static func openMissing() throws(SystemError) {
    // The lowest free number is given out, so three or more means that all are there.
    while true {
      let number = try systemCall { open("/dev/null", O_RDWR) }
      if number > STDERR_FILENO {
        close(number)
        return
      }
    }
  }

  /// Writes every byte; see `writeAll(_:_:)` for what can go wrong.
  public func write(_ text: String) throws(SystemError) {
    try writeAll(rawValue, Array(text.utf8))
  }
}

/// What a stream's other end is and can show.
public struct Terminal: Hashable, Sendable {
  /// Whether it is a terminal.
  public let isTerminal: Bool
  /// Whether it is systemd's journal, which understands `<4>` at the beginning of a line (sd-daemon(3)).
  public let isJournal: Bool
  /// Its width in columns; nil if it is no terminal or does not say.
  public let columns: Int?
  /// Whether colours are welcome: it is a terminal, `NO_COLOR` is not set and `TERM` is not `dumb`.
  public let allowsColor: Bool

  /// Looks at a stream.
  public init(_ stream: StandardStream, environment: [String: String]) {
    self.init(descriptor: stream.rawValue, environment: environment)
  }

  /// Looks at an open file.
  init(descriptor: Int32, environment: [String: String]) {
    isTerminal = isatty(descriptor) == 1
    isJournal = Self.isJournal(descriptor, environment["JOURNAL_STREAM"])
    let width = Int(bgfetch_terminal_columns(descriptor))
    columns = isTerminal && width > 0 ? width : nil
    // Set to nothing is not set, https://no-color.org.
    allowsColor = isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
  }

  /// Whether the file is the one that systemd names in `JOURNAL_STREAM`; a program may have redirected it
  /// since (systemd.exec(5)).
  private static func isJournal(_ descriptor: Int32, _ variable: String?) -> Bool {
    var found = stat()
    guard let variable, fstat(descriptor, &found) == 0 else { return false }
    return variable == "\(found.st_dev):\(found.st_ino)"
  }
}
