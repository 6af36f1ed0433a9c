// Everything the program prints: the answer on stdout, messages about the run on stderr.

import Core
import Host

/// What the program prints, and what kind of reader it has.
struct Console: Sendable {
  let output: Terminal
  /// Who reads what is said about the run.
  let error: Terminal
  /// What there is room for where the answer is read.
  let page: Page
  /// Whether answers are JSON lines.
  let isJSON: Bool
  /// Whether only what changed for the worse, or came back, is said.
  let isQuiet: Bool
  let isVerbose: Bool
  let color: ColorChoice
  /// The bars of what is under way, below everything that is said.
  let progress: ProgressDisplay

  /// The console that the options and the environment describe.
  init(_ options: CommonOptions, environment: [String: String]) {
    output = Terminal(.output, environment: environment)
    error = Terminal(.error, environment: environment)
    page = Page(columns: output.columns, showsUnicode: writesUTF8(environment))
    isJSON = options.json
    isQuiet = options.quiet
    isVerbose = options.verbose
    color = options.color
    progress = ProgressDisplay(
      isWanted: error.isTerminal && !options.quiet && !options.json,
      showsColor: Self.isColored(options.color, error), environment: environment)
  }

  /// The most lines that a list has where nobody asks for a number: on a terminal so many that the newest stay in sight.
  var defaultLimit: Int? { isJSON || !output.isTerminal ? nil : 50 }

  /// Prints a line of the answer.
  func print(_ line: String) {
    Self.write(line + "\n", to: .output)
  }

  /// Prints a JSON line of the answer.
  func print(_ value: JSONValue) {
    Self.write(value.text + "\n", to: .output)
  }

  /// Prints a line of the answer in a colour, where colours are wanted.
  func print(_ line: String, in tone: Tone) {
    print(paint(line, tone, output))
  }

  /// Says something about the run; under journald with its priority (sd-daemon(3)), on a terminal failures in red.
  func say(_ line: String, _ priority: Priority = .information) {
    let text = error.isJournal ? priority.rawValue + line : paint(line, priority.tone, error)
    progress.write(text + "\n")
  }

  private static func isColored(_ color: ColorChoice, _ stream: Terminal) -> Bool {
    switch color {
    case .auto: stream.allowsColor
    case .always: true
    case .never: false
    }
  }

  private func paint(_ line: String, _ tone: Tone, _ stream: Terminal) -> String {
    Self.isColored(color, stream) && tone != .plain ? tone.rawValue + line + "\u{1B}[0m" : line
  }

  /// How a line stands out, as ECMA-48 has it.
  enum Tone: String {
    case plain = ""
    case green = "\u{1B}[32m"
    /// A failure that may pass.
    case yellow = "\u{1B}[33m"
    case red = "\u{1B}[31m"
  }

  /// How grave a line about the run is.
  enum Priority: String {
    /// An error that a person must mend.
    case error = "<3>"
    /// A failure that may pass.
    case warning = "<4>"
    case news = "<5>"
    case information = "<6>"

    /// Its colour on a terminal.
    var tone: Tone {
      switch self {
      case .error: .red
      case .warning: .yellow
      case .news: .green
      case .information: .plain
      }
    }
  }

  /// Writes to a stream; a reader that has gone away is no failure.
  ///
  /// An answer that cannot be written ends the program, so that a script does not take it for an empty one. If what is
  /// said about the run cannot be written, nobody could be told.
  static func write(_ text: String, to stream: StandardStream) {
    do throws(SystemError) {
      try stream.write(text)
    } catch {
      guard stream == .output, !error.isBrokenPipe else { return }
      write("bgfetch: standard output: \(error.text)\n", to: .error)
      ExitStatus.storage.end()
    }
  }
}
