// Programs on the terminal of this process: browsers in text mode, pagers, and lists to choose from.

import Glibc
import Synchronization

/// Runs a program on the terminal of this process, such as a browser in text mode, and waits for its end.
///
/// As with system(3), the keys that interrupt and quit are meant for the program alone.
public func runOnTerminal(_ command: Command) throws(StartFailure) -> CommandEnding {
  let actions = [SIGINT, SIGQUIT].map { ($0, signal($0, SIG_IGN)) }
  defer { for (number, action) in actions { signal(number, action) } }
  return waitForEnd(try spawn(command, nil))
}

/// The program that shows the output of this process, such as less(1).
public enum OutputPager {
  private static let shown = Mutex<(process: pid_t, output: Descriptor)?>(nil)

  /// Starts it on the terminal of this process, whose standard output goes to it until `finish`.
  public static func start(_ command: Command) throws(StartFailure) {
    let pipe = try starting(Pipe())
    let output = try starting(Descriptor.copy(of: STDOUT_FILENO))
    let child = try spawn(command, nil, input: pipe.reading)
    shown.withLock { $0 = (child, output) }
    pipe.writing.borrow { _ = dup2($0, STDOUT_FILENO) }
  }

  /// Ends its input, and waits until the person has left it; nil if none was started.
  @discardableResult
  public static func finish() -> CommandEnding? {
    guard let (child, output) = shown.withLock({ $0.take() }) else { return nil }
    output.borrow { _ = dup2($0, STDOUT_FILENO) }
    return waitForEnd(child)
  }
}

/// A program on the terminal of this process that lets a person choose among lines, such as fzf(1).
public struct ChoosingProgram {
  private let process: pid_t
  private var lines: Descriptor?
  private let output: Descriptor

  /// Starts it.
  public init(_ command: Command) throws(StartFailure) {
    let (input, choice) = (try starting(Pipe()), try starting(Pipe()))
    process = try spawn(command, nil, input: input.reading, output: choice.writing)
    (lines, output) = (input.writing, choice.reading)
  }

  /// Offers more lines; false if the program reads no more, because the person has chosen.
  public func offer(_ text: String) -> Bool {
    guard let lines else { return false }
    return (try? lines.writeWhole(Array(text.utf8))) != nil
  }

  /// Ends the lines and waits for the choice; returns what the program printed.
  public mutating func choice() -> (ending: CommandEnding, text: String) {
    lines = nil
    var bytes: [UInt8] = []
    while let more = try? output.read(atMost: 65_536), !more.isEmpty { bytes += more }
    return (waitForEnd(process), String(decoding: bytes, as: UTF8.self))
  }
}

/// The keys of the terminal that controls this process, by its modes (termios(3)).
public final class TerminalKeys {
  private let terminal: Descriptor
  /// The modes to restore.
  private var modes = termios()

  /// Nil if there is no such terminal.
  public init?() {
    guard let terminal = try? Descriptor.open("/dev/tty", O_RDWR) else { return nil }
    self.terminal = terminal
    guard terminal.borrow({ tcgetattr($0, &modes) }) == 0 else { return nil }
  }

  deinit { restore() }

  /// Restores the modes that the terminal had.
  public func restore() { change { _ in } }

  /// Makes typed keys wait for the next program that reads single keys: they are not echoed, and none is a signal.
  public func hold() {
    change { held in
      held.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
      held.c_iflag &= ~tcflag_t(IXON | ICRNL)
    }
  }

  /// The next key, while no other program reads them; nil if a signal asks to stop, or the terminal is gone.
  public func next(unless stops: StopSignals) -> Character? {
    // A key that was typed before stays.
    change { $0.c_lflag &= ~tcflag_t(ICANON | ECHO) }
    return stops.pipe.borrow { pipe in
      terminal.borrow { terminal in
        var ends = [terminal, pipe].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&ends, 2, -1) == -1, errno == EINTR {}
        var key: UInt8 = 0
        guard ends[1].revents == 0, read(terminal, &key, 1) == 1 else { return nil }
        return Character(UnicodeScalar(key))
      }
    }
  }

  private func change(_ body: (inout termios) -> Void) {
    var changed = modes
    body(&changed)
    // It fails only if the terminal is gone.
    terminal.borrow { _ = tcsetattr($0, TCSANOW, &changed) }
  }
}
