// A real terminal (a pty) for a program that a test starts.

import Foundation
import TestKit

extension BuiltProgram {
  /// Starts the program with its output and its errors on a terminal, and its input too.
  func start(_ arguments: [String], on window: Window, browser: String = "") throws -> ChildProgram {
    try ChildProgram(
      Self.path, arguments,
      environment: [
        "HOME": home.path, "BGFETCH_CONFIG": configurationPath, "TZ": "UTC", "TERM": "xterm",
        "PATH": "/usr/bin:/bin", "BROWSER": browser,
      ],
      directory: home.path, input: .descriptor(window.programsEnd), output: .descriptor(window.programsEnd),
      errors: .descriptor(window.programsEnd))
  }

  /// Starts the program in the foreground of a terminal, as a shell does, for programs that read keys from `/dev/tty`.
  ///
  /// - Parameter program: its path, if it is not the built one.
  func startInForeground(
    _ arguments: [String], on window: Window, program: String = path, environment: [String: String] = [:]
  ) throws -> ChildProgram {
    let variables = [
      "HOME": home.path, "BGFETCH_CONFIG": configurationPath, "TZ": "UTC", "TERM": "xterm",
      "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "NO_COLOR": "1",
    ]
    return try ChildProgram(
      "/usr/bin/setsid", ["--ctty", "--wait", program] + arguments,
      environment: variables.merging(environment) { $1 }, directory: home.path,
      input: .descriptor(window.programsEnd), output: .descriptor(window.programsEnd),
      errors: .descriptor(window.programsEnd))
  }
}

/// A terminal of 80 columns.
final class Window {
  /// The end on which the program writes.
  let programsEnd: Int32
  private let ownEnd: Int32
  private var bytes: [UInt8] = []

  /// Nil if the system has none.
  init?() {
    // TIOCSPTLCK unlocks and TIOCGPTN numbers it, ioctl_tty(2); Swift's Glibc has neither them nor posix_openpt.
    ownEnd = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    var isLocked: Int32 = 0
    var number: Int32 = 0
    _ = ioctl(ownEnd, 0x4004_5431, &isLocked)
    _ = ioctl(ownEnd, 0x8004_5430, &number)
    programsEnd = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard ownEnd >= 0, programsEnd >= 0 else { return nil }
    var size: [UInt16] = [24, 80, 0, 0]  // struct winsize
    _ = ioctl(programsEnd, UInt(TIOCSWINSZ), &size)
  }

  deinit {
    close(programsEnd)
    close(ownEnd)
  }

  /// Types a line, as a person at the keyboard does.
  func type(_ line: String) { press(line + "\n") }

  /// Presses keys.
  func press(_ keys: String) {
    var bytes = Array(keys.utf8)
    _ = write(ownEnd, &bytes, bytes.count)
  }

  /// Forgets what was written so far.
  func forget() {
    _ = text()
    bytes = []
  }

  /// Everything written so far, or since `forget`.
  func text() -> String {
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(ownEnd, &piece, piece.count)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += piece.prefix(count)
    }
  }
}
