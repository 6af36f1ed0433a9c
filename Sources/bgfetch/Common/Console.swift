// Everything that the program prints: results on stdout, messages about the run on stderr.

import Core
import Machine

/// Standard output and standard error, with the options that say how to print.
struct Console: Sendable {
  let output: Terminal
  let error: Terminal
  /// The width and character set of standard output.
  let page: Page
  /// Whether results are JSON lines.
  let isJSON: Bool
  /// Whether to print only new failures and recoveries.
  let isQuiet: Bool
  let isVerbose: Bool
  let color: ColorChoice
  /// The live line of downloads, below all messages.
  let progress: ProgressDisplay

  init(_ options: CommonOptions, environment: [String: String]) {
    output = Terminal(.output, environment: environment)
    error = Terminal(.error, environment: environment)
    page = Page(columns: output.columns, showsUnicode: writesUTF8(environment))
    isJSON = options.json
    isQuiet = options.quiet
    isVerbose = options.verbose
    color = options.color
    progress = ProgressDisplay(
      isWanted: error.isTerminal && !options.quiet && !options.json, environment: environment)
  }

  /// The default limit of a list's lines: 50 on a terminal, none elsewhere.
  var defaultLimit: Int? { isJSON || !output.isTerminal ? nil : 50 }

  /// Whether titles may be hyperlinks (OSC 8): on terminals that are not dumb.
  ///
  /// Terminals that do not know them show the text.
  var hasLinks: Bool { output.allowsLinks }

  func print(_ line: String) {
    Self.write(line + "\n", to: .output)
  }

  func print(_ value: JSONValue) {
    Self.write(value.text + "\n", to: .output)
  }

  /// Prints a line of the result, in colour if colours are on.
  func print(_ line: String, in tone: Tone) {
    print(paint(line, tone, output))
  }

  /// Prints a message about the run: under journald with its priority (sd-daemon(3)), on a terminal in its colour.
  func say(_ line: String, _ priority: Priority = .information) {
    let text = error.isJournal ? priority.rawValue + line : paint(line, priority.tone, error)
    progress.write(text + "\n")
  }

  /// Says on a terminal that a list is empty; scripts get an empty list.
  func sayEmpty(_ text: String) {
    if output.isTerminal, !isJSON, !isQuiet { say(text) }
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

  /// The colour of a line, as a control sequence of ECMA-48.
  enum Tone: String {
    case plain = ""
    case green = "\u{1B}[32m"
    /// A failure that may pass.
    case yellow = "\u{1B}[33m"
    case red = "\u{1B}[31m"
  }

  /// The priority of a message, as journald's prefix.
  enum Priority: String {
    /// An error that the person must fix.
    case error = "<3>"
    /// A failure that may pass.
    case warning = "<4>"
    case news = "<5>"
    case information = "<6>"

    var tone: Tone {
      switch self {
      case .error: .red
      case .warning: .yellow
      case .news: .green
      case .information: .plain
      }
    }
  }

  /// Writes to a stream; false if nobody reads it any more (a broken pipe), which is not an error.
  ///
  /// If a result cannot be written, the program ends, so that a script does not take it for an empty one. Failures on
  /// standard error are ignored.
  @discardableResult
  static func write(_ text: String, to stream: StandardStream) -> Bool {
    do throws(SystemError) {
      try stream.write(text)
      return true
    } catch {
      guard stream == .output, !error.isBrokenPipe else { return false }
      write("bgfetch: standard output: \(error.text)\n", to: .error)
      ExitStatus.storage.end()
    }
  }
}
