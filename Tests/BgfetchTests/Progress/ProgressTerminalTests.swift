// Bars of the built program on a real terminal, whose other end is the test.

import Foundation
import TestKit
import Testing

@Suite struct ProgressTerminalTests {
  @Test func `the suspend key takes the bars away before the shell writes where they are`() async throws {
    let gate = Gate()
    let content = FileContent(900_000, seed: 2)
    let program = try DownloadProgram([
      "a.mp3": AssetFile(content, inTurn: [.pause(after: 100_000, gate)], [])
    ])
    let window = try #require(Window())
    let run = try ChildProgram(
      BuiltProgram.path, ["run"],
      environment: [
        "HOME": program.bgfetch.home.path, "BGFETCH_CONFIG": program.bgfetch.configurationPath, "TZ": "UTC",
        "TERM": "xterm", "PATH": "/usr/bin:/bin",
      ],
      directory: program.bgfetch.home.path, errors: .descriptor(window.programsEnd))

    #expect(await eventually { window.text().contains("\u{1B}[?7h\r\u{1B}[?2026l") })
    // Without a shell that could make it go on it is not stopped, but it does not know that.
    run.signal(SIGTSTP)
    #expect(await eventually { window.text().contains("\u{1B}[?2026l\r\u{1B}[J") })
    gate.open()

    // Whoever does not read holds up whoever writes to a terminal.
    #expect(await eventually { window.text().contains("1 new-data (1 item)") })
    #expect(await run.ended() == 0)
  }
}

/// A terminal of 80 columns.
private final class Window {
  /// Where the program writes.
  let programsEnd: Int32
  private let ownEnd: Int32
  private var bytes: [UInt8] = []

  /// Nil where the system has none to give.
  init?() {
    // TIOCSPTLCK unlocks and TIOCGPTN numbers it, ioctl_tty(2); Swift's Glibc has neither them nor posix_openpt.
    ownEnd = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    var isLocked: Int32 = 0
    var number: Int32 = 0
    _ = ioctl(ownEnd, 0x4004_5431, &isLocked)
    _ = ioctl(ownEnd, 0x8004_5430, &number)
    programsEnd = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard ownEnd >= 0, programsEnd >= 0 else { return nil }
    var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(programsEnd, UInt(TIOCSWINSZ), &size)
  }

  deinit {
    close(programsEnd)
    close(ownEnd)
  }

  /// Everything that was written so far.
  func text() -> String {
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(ownEnd, &piece, piece.count)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += piece.prefix(count)
    }
  }
}
