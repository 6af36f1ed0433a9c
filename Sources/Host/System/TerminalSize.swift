// How large a terminal is right now, and whether and how this process may draw on it.

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

/// What this process has drawn below the cursor of standard error's terminal, where the shell would write into it.
public enum DrawingBelow {
  /// Erases it from now on when the suspend key (`SIGTSTP`) stops this process, before the shell goes on.
  ///
  /// Where that signal is ignored it stays so.
  public static func endsWhenSuspended() throws(SystemError) {
    try systemCall { bgfetch_erase_when_stopped() }
  }

  /// Takes note of whether there is anything.
  public static func note(isThere: Bool) { bgfetch_note_below(isThere ? 1 : 0) }
}
