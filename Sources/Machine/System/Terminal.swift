// Standard output and standard error: what they lead to, and drawing on a terminal.

import CLinux
import Glibc

public enum StandardStream: Int32, Sendable {
  /// Results.
  case output = 1
  /// Messages about the run.
  case error = 2

  /// Opens `/dev/null` for each standard stream that the program was started without.
  ///
  /// To be called before anything is opened: otherwise the next file, perhaps the database, would get the stream's number
  /// and be printed into.
  public static func openMissing() throws(SystemError) {
    // open(2) returns the lowest free number, so three or more means that all streams are open.
    while true {
      let number = try systemCall { open("/dev/null", O_RDWR) }
      if number > STDERR_FILENO {
        close(number)
        return
      }
    }
  }

  public func write(_ text: String) throws(SystemError) {
    try writeAll(rawValue, Array(text.utf8))
  }
}

/// The capabilities of an output stream: whether it is a terminal, its width, its colours.
public struct Terminal: Sendable {
  public let isTerminal: Bool
  /// Whether it is systemd's journal, which reads a level such as `<4>` at the beginning of a line (sd-daemon(3)).
  public let isJournal: Bool
  /// The width in columns, also of a preview of fzf(1); nil if it is neither, or does not say.
  public let columns: Int?
  /// The width for texts to read, which `COLUMNS` can change (POSIX.1-2017, XBD 8.3), also of a pipe or file.
  public let textColumns: Int?
  /// Whether to use colours: it is a terminal, `NO_COLOR` is not set and `TERM` is not `dumb`.
  public let allowsColor: Bool
  /// Whether it may get hyperlinks.
  public let allowsLinks: Bool

  public init(_ stream: StandardStream, environment: [String: String]) {
    self.init(descriptor: stream.rawValue, environment: environment)
  }

  init(descriptor: Int32, environment: [String: String]) {
    isTerminal = isatty(descriptor) == 1
    isJournal = Self.isJournal(descriptor, environment["JOURNAL_STREAM"])
    let width = Int(bgfetch_terminal_columns(descriptor))
    func number(_ name: String) -> Int? {
      environment[name].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    }
    let preview = number("FZF_PREVIEW_COLUMNS")
    columns = preview ?? (isTerminal && width > 0 ? width : nil)
    textColumns = preview ?? number("COLUMNS") ?? columns
    // Empty means not set, https://no-color.org.
    allowsColor = isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    allowsLinks = isTerminal && !["dumb", "linux", ""].contains(environment["TERM", default: ""])
  }

  /// Whether the file is the one in `JOURNAL_STREAM` (systemd.exec(5)); the stream may have been redirected since.
  private static func isJournal(_ descriptor: Int32, _ variable: String?) -> Bool {
    var found = stat()
    guard let variable, fstat(descriptor, &found) == 0 else { return false }
    return variable == "\(found.st_dev):\(found.st_ino)"
  }
}

extension StandardStream {
  /// The present width of its terminal in columns; nil if it is none, or does not say (TIOCGWINSZ, ioctl_tty(2)).
  public var columns: Int? {
    let columns = Int(bgfetch_terminal_columns(rawValue))
    return columns > 0 ? columns : nil
  }

  /// Whether this process is in the foreground of its terminal: false after `bg` or `&` in a shell (tcgetpgrp(3)).
  ///
  /// True if the terminal controls no processes.
  public var isForeground: Bool {
    let shown = tcgetpgrp(rawValue)
    return shown == -1 || shown == getpgrp()
  }
}

extension StandardStream {
  /// Lets a pipe hold one page only, so that `isTaken` learns when all of it was read (pipe(7)).
  public func limitPipe() {
    // 1031 is F_SETPIPE_SZ, which the Glibc module lacks. It fails if the stream is no pipe.
    _ = fcntl(rawValue, 1031, 1)
  }

  /// Whether all that was written was taken, for which a pipe's reader is waited for; false if it left some, or a signal asks to stop.
  public func isTaken(unless stops: StopSignals) -> Bool {
    let ends = stops.pipe.borrow { pipe in
      var ends = [
        pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0),
        pollfd(fd: pipe, events: Int16(POLLIN), revents: 0),
      ]
      while poll(&ends, 2, -1) == -1, errno == EINTR {}
      return ends
    }
    var left: Int32 = 0
    if Int32(ends[0].revents) & POLLERR != 0 { _ = ioctl(rawValue, UInt(FIONREAD), &left) }
    return left == 0 && ends[1].revents == 0
  }
}
