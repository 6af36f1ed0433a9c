// How large a terminal is right now, and whether this process may draw on it.

import CLinux
import Glibc

/// The size of a terminal at one moment; it changes whenever its window does.
public struct TerminalSize: Hashable, Sendable {
  /// Its width in columns.
  public var columns: Int
  /// Its height in lines.
  public var rows: Int

  /// A size.
  public init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }

  /// The size of a stream's terminal (TIOCGWINSZ, ioctl_tty(2)); nil if it is none, or does not say.
  public init?(_ stream: StandardStream) {
    columns = Int(bgfetch_terminal_columns(stream.rawValue))
    rows = Int(bgfetch_terminal_rows(stream.rawValue))
    guard columns > 0, rows > 0 else { return nil }
  }
}

extension StandardStream {
  /// Whether this process is the one that its terminal shows: false after `bg` or `&` in a shell (tcgetpgrp(3)).
  ///
  /// True where the terminal controls no processes.
  public var isForeground: Bool {
    let shown = tcgetpgrp(rawValue)
    return shown == -1 || shown == getpgrp()
  }
}
