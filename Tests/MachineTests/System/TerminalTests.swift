// The kind of a stream: a terminal, the journal or a file, with its width and colours.

import Core
import Glibc
import Testing

@testable import Machine

/// Streams that are a real terminal, pipe or file.
@Suite struct TerminalTests {
  /// The program's side of a new terminal, 123 columns wide.
  private func withTerminal(_ body: (Int32) -> Void) {
    // TIOCSPTLCK unlocks and TIOCGPTN numbers it, ioctl_tty(2); Swift's Glibc has neither them nor
    // posix_openpt.
    let controller = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    var isLocked: Int32 = 0
    var number: Int32 = 0
    _ = ioctl(controller, 0x4004_5431, &isLocked)
    _ = ioctl(controller, 0x8004_5430, &number)
    let descriptor = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
    var size: [UInt16] = [40, 123, 0, 0]  // struct winsize
    _ = ioctl(descriptor, UInt(TIOCSWINSZ), &size)
    body(descriptor)
    close(descriptor)
    close(controller)
  }

  @Test func `a terminal has a width and colours`() {
    withTerminal { descriptor in
      let terminal = Terminal(descriptor: descriptor, environment: ["TERM": "xterm"])

      #expect(terminal.isTerminal)
      #expect(terminal.allowsColor)
      #expect(!terminal.isJournal)
      #expect(terminal.columns == 123)
    }
  }

  @Test(arguments: [("NO_COLOR", "1", false), ("NO_COLOR", "", true), ("TERM", "dumb", false)])
  func `the environment can disable colours`(name: String, value: String, allowed: Bool) {
    withTerminal { descriptor in
      #expect(Terminal(descriptor: descriptor, environment: [name: value]).allowsColor == allowed)
    }
  }

  @Test(
    arguments: [
      ([:], nil, nil), (["COLUMNS": "60"], nil, 60),
      (["FZF_PREVIEW_COLUMNS": "50", "COLUMNS": "60"], 50, 50),
      (["FZF_PREVIEW_COLUMNS": "0", "COLUMNS": "wide"], nil, nil),
    ] as [([String: String], Int?, Int?)])
  func `previews of fzf and COLUMNS have a width without a terminal`(
    environment: [String: String], columns: Int?, textColumns: Int?
  ) {
    let terminal = Terminal(descriptor: -1, environment: environment)

    #expect(terminal.columns == columns)
    #expect(terminal.textColumns == textColumns)
  }

  @Test func `a file is not a terminal`() {
    let descriptor = open("/dev/null", O_RDWR)
    defer { close(descriptor) }

    let terminal = Terminal(descriptor: descriptor, environment: [:])

    #expect(!terminal.isTerminal)
    #expect(!terminal.allowsColor)
    #expect(terminal.columns == nil)
  }

  @Test func `the journal is the file that systemd names, and no other`() {
    let descriptor = open("/dev/null", O_RDWR)
    defer { close(descriptor) }
    var found = stat()
    fstat(descriptor, &found)
    let stream = "\(found.st_dev):\(found.st_ino)"

    #expect(Terminal(descriptor: descriptor, environment: ["JOURNAL_STREAM": stream]).isJournal)
    #expect(!Terminal(descriptor: descriptor, environment: ["JOURNAL_STREAM": stream + "0"]).isJournal)
    #expect(!Terminal(descriptor: descriptor, environment: [:]).isJournal)
  }

  @Test func `every byte is written even if the reader is slow and the pipe does not block`() throws {
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    let (reading, writing) = (ends[0], ends[1])
    _ = fcntl(writing, F_SETFL, O_NONBLOCK)
    let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) }

    // On a thread of its own, because tests that wait must not block the pool's threads.
    try startThread {
      _ = try? writeAll(writing, bytes)
      close(writing)
    }

    #expect(try readFile("/proc/self/fd/\(reading)", limit: ByteCount(2_000_000)) == bytes)
    close(reading)
  }
}
