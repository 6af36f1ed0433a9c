// Standard input by its descriptor: a socket that systemd hands over has no name that could be opened.

import Glibc

/// Standard input.
public enum StandardInput {
  /// Whether a person would have to type it.
  public static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// All of it up to its end, but at most so many bytes.
  ///
  /// - Parameter count: the most bytes; what comes after them is not read.
  /// - Returns: the bytes.
  /// - Throws: why there are none.
  public static func read(atMost count: Int) throws(FileFailure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let read = try onPath("standard input") { () throws(SystemError) in
        try waitForMore()
        return try systemCall { Glibc.read(STDIN_FILENO, &bytes[filled], count - filled) }
      }
      guard read > 0 else { break }
      filled += read
    }
    return Array(bytes[..<filled])
  }

  /// Returns when there are bytes, or their end: whoever started us may have left it in a mode that does not wait.
  private static func waitForMore() throws(SystemError) {
    try systemCall {
      var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      return poll(&waiting, 1, -1)
    }
  }
}
