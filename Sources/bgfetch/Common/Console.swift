// Everything that the program prints: results on stdout, as JSON or text, and messages about the run on stderr.

import ArgumentParser
import Core
import Machine

/// Standard output and standard error, with the options that say how to print.
struct Console: Sendable {
  let output: Terminal
  let error: Terminal
  /// The width of standard output.
  private(set) var page: Page
  /// Whether results are JSON lines.
  let isJSON: Bool
  let amount: ReportAmount
  /// The live line of downloads, below all messages.
  let progress: ProgressDisplay

  init(isJSON: Bool, _ amount: ReportAmount, environment: [String: String]) {
    output = Terminal(.output, environment: environment)
    error = Terminal(.error, environment: environment)
    page = Page(columns: output.columns)
    self.isJSON = isJSON
    self.amount = amount
    progress = ProgressDisplay(
      isWanted: error.isTerminal && amount != .quiet && !isJSON, environment: environment)
  }

  /// Whether a person reads the results, on a terminal.
  var showsTables: Bool { output.isTerminal && !isJSON }

  /// The default limit of a list's lines: 50 on a terminal, none elsewhere.
  var defaultLimit: Int? { showsTables ? 50 : nil }

  /// Whether titles may be hyperlinks (OSC 8): on terminals that are not dumb.
  ///
  /// Terminals that do not know them show the text.
  var hasLinks: Bool { output.allowsLinks }

  func print(_ value: JSONValue) { Self.write(value.text + "\n", to: .output) }

  /// The same console for texts to copy, such as lines of a crontab, which are not wrapped.
  var unwrapped: Console {
    var console = self
    console.page.columns = nil
    return console
  }

  /// Whether results are in colours.
  var hasColor: Bool { output.allowsColor }

  /// A line of the result in bold, if colours are on.
  func emphasized(_ line: String) -> String { hasColor ? Style.bold.applied(to: line) : line }

  /// A text that the terminal shows as a link, if it can.
  func link(_ text: String, to address: String?) -> String { hasLinks ? hyperlink(text, to: address) : text }

  /// Prints a line of the result, wrapped to the page, and in colour if colours are on.
  func print(_ line: String, in style: Style = .plain) {
    Self.write(paint(wrappedMessage(line, page.columns), style, output) + "\n", to: .output)
  }

  /// Prints a message about the run: under journald with its priority (sd-daemon(3)), on a terminal in its colour.
  func say(_ line: String, _ priority: Priority = .information) {
    let line = wrappedMessage(line, error.columns)
    let text = error.isJournal ? priority.rawValue + line : paint(line, priority.style, error)
    progress.write(text + "\n")
  }

  /// Says on a terminal that a list is empty; scripts get an empty list.
  func sayEmpty(_ text: String) {
    if showsTables { say(text) }
  }

  private func paint(_ line: String, _ style: Style, _ stream: Terminal) -> String {
    stream.allowsColor && style != .plain ? style.applied(to: line) : line
  }

  /// The weight or colour of a text, as a control sequence of ECMA-48.
  enum Style: String {
    case plain = ""
    case bold = "\u{1B}[1m"
    case dim = "\u{1B}[2m"
    case green = "\u{1B}[32m"
    /// A failure that may pass.
    case yellow = "\u{1B}[33m"
    case red = "\u{1B}[31m"

    func applied(to text: String) -> String { rawValue + text + "\u{1B}[0m" }
  }

  /// The priority of a message, as journald's prefix.
  enum Priority: String {
    /// An error that the person must fix.
    case error = "<3>"
    /// A failure that may pass.
    case warning = "<4>"
    case news = "<5>"
    case information = "<6>"

    var style: Style {
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

extension Console {
  /// Prints a result: JSON lines with `--json`, else text.
  func print(
    json: @autoclosure () throws -> [JSONValue], text: @autoclosure () throws -> [String]
  ) rethrows {
    try print(json: json(), table: text().map { ReportLine(text: $0) })
  }

  /// Prints a result: JSON lines with `--json`, else a table.
  func print(
    json: @autoclosure () throws -> [JSONValue], table: @autoclosure () throws -> [ReportLine]
  ) rethrows {
    guard !isJSON else { return try json().forEach { print($0) } }
    print(try table())
  }
}

/// A table with a head; `problems` says for each row whether something went wrong.
func table(_ head: [String], _ rows: [[String]], problems: [Bool], on page: Page) -> [ReportLine] {
  let lines = table([head] + rows, hasHead: true, on: page)
  return zip(lines, [false] + problems).map { ReportLine(text: $0, isProblem: $1) }
}

/// Details of one object: its name, then a line for each row that has a text.
func details(
  of name: String, isProblem: Bool, _ rows: [(what: String, text: String?)], on page: Page
) -> [ReportLine] {
  let cells = rows.compactMap { row in
    row.text.flatMap { $0.isEmpty ? nil : ["  " + row.what, cleanText($0, limit: 5000)] }
  }
  return [ReportLine(text: name, isProblem: isProblem)]
    + table(cells, on: page).map { ReportLine(text: $0) }
}

/// Refuses an option's number below 1.
func requirePositive(_ number: Int?, _ option: String) throws {
  if let number, number < 1 { throw ValidationError("\(option) must be 1 or more") }
}

/// A text that terminals show as a link; only the text if the address is not http or https.
func hyperlink(_ text: String, to address: String?) -> String {
  // An address in this sequence has printable ASCII characters only.
  let link = percentEncoded(webLink(address)) { (0x21...0x7E).contains($0.value) }
  return link.isEmpty ? text : "\u{1B}]8;;\(link)\u{1B}\\\(text)\u{1B}]8;;\u{1B}\\"
}

// Long output through a pager, as git shows it.
extension Invocation {
  /// Shows what is printed from now on by the program in `PAGER`, or less(1), if the output is a terminal; returns whether it does.
  ///
  /// By `LESS=FRX`, unless the environment says otherwise, what fits on one screen needs no key to leave it.
  ///
  /// - Parameter options: further options for less.
  @discardableResult
  func startPager(_ options: String = "") -> Bool {
    guard console.showsTables, StandardStream.output.isForeground,
      let pager = pager(options)
    else { return false }
    // Without it the output is as it was.
    return (try? OutputPager.start(pager)) != nil
  }

  /// Whether long output on a terminal gets a pager.
  var hasPager: Bool { pager("") != nil }

  /// The command of the pager; nil if there is none, or it is cat(1).
  private func pager(_ options: String) -> Command? {
    var environment = environment
    for (name, value) in ["LESS": "FRX", "LV": "-c"] where environment[name] == nil {
      environment[name] = value
    }
    environment["LESS"]? += options
    let named = environment["PAGER"]
    guard !["", "cat"].contains(named), !["", "dumb"].contains(environment["TERM", default: ""]) else {
      return nil
    }
    let isThere = (try? findProgram("less", path: environment["PATH"], directory: "/")) != nil
    guard named != nil || isThere else { return nil }
    return Command(
      "/bin/sh", ["-c", named ?? "less"], environment: environment, directory: Machine.workingDirectory,
      limit: nil)
  }
}
