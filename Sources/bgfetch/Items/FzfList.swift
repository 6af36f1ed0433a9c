// The list of `bgfetch browse` in fzf(1), with a preview of the article.
//
// fzf ends with each action and starts again at the same place: this process then knows the list and the marks, and fzf gets
// no commands but the preview. All options are in fzf 0.38, which Debian 12 has.

import Core
import Machine

/// The list in fzf.
struct FzfList: ItemScreen {
  private let invocation: Invocation
  private let keys = TerminalKeys()
  /// Where the person was when fzf ended; nil at first.
  private var place: (query: String, number: Int64?)?
  /// Whether the terminal shows its screen.
  private var isShown = false

  /// Nil if there is no fzf, or the terminal cannot show it.
  init?(_ invocation: Invocation) {
    let environment = invocation.environment
    guard !["", "dumb"].contains(environment["TERM", default: ""]), invocation.console.error.isTerminal,
      (try? findProgram("fzf", path: environment["PATH"], directory: "/")) != nil
    else { return nil }
    self.invocation = invocation
  }

  mutating func choose(from items: inout BrowsedItems, note: String) async throws -> BrowseWish? {
    var note = note
    while true {
      let (ending, output) = try await run(over: &items, note: note)
      // Without a match its status is 1, but it prints what was typed.
      isShown = [.exited(0), .exited(1)].contains(ending) && !output.isEmpty || ending == .exited(130)
      guard isShown else { throw FzfFailure(text: "fzf \(endingText(ending)); this menu takes its place") }
      guard ending != .exited(130) else { return nil }
      keys?.hold()
      let answer = FzfAnswer(output)
      place = (answer.query, answer.wish?.action == .order ? nil : answer.number ?? place?.number)
      if let wish = answer.wish { return wish }
      note = ""
    }
  }

  mutating func leave() {
    keys?.restore()
    // xterm's sequence for the normal screen, which fzf has left.
    if isShown { Console.write("\u{1B}[?1049l", to: .error) }
    isShown = false
  }

  private func run(over items: inout BrowsedItems, note: String) async throws -> (CommandEnding, String) {
    let (query, number) = place ?? ("", nil)
    var arguments = fzfArguments(
      query: query, note: note, hasColor: invocation.console.hasColor, columns: StandardStream.error.columns)
    guard place != nil else {
      var program = try start(arguments)
      do {
        try await items.show(items.numbers[...], within: nil) { program.offer(fzfLines($0)) }
      } catch {
        // Until the person ends it, fzf has the terminal.
        _ = program.choice()
        throw error
      }
      return program.choice()
    }
    var lines: [BrowsedItems.Line] = []
    try await items.show(items.numbers[...], within: nil) {
      lines += $0
      return true
    }
    // At the start, fzf 0.38 may not have the list yet, even with --sync.
    let go = "pos(\(await position(of: number, matching: query, among: lines)))"
    arguments += ["--sync", "--bind=start:\(go),load:\(go)"]
    var program = try start(arguments)
    _ = program.offer(fzfLines(lines))
    return program.choice()
  }

  private func start(_ arguments: [String]) throws -> ChoosingProgram {
    do throws(StartFailure) {
      return try ChoosingProgram(command(arguments))
    } catch {
      throw FzfFailure(text: startText(error))
    }
  }

  private func command(_ arguments: [String], input: String = "") -> Command {
    var environment = invocation.environmentOfOwnCommands
    // Previews run in this shell. Through a variable no quoting can fail.
    environment["SHELL"] = "/bin/sh"
    // With --tmux each start would open another popup.
    environment["TMUX"] = nil
    environment["BGFETCH_PROGRAM"] = Machine.programPath
    return Command(
      "fzf", arguments, environment: environment, directory: Machine.workingDirectory,
      input: Array(input.utf8), limit: nil, outputLimit: input.utf8.count + 1)
  }

  /// The place of an item in the list of matches, counted from 1.
  private func position(
    of number: Int64?, matching query: String, among lines: [BrowsedItems.Line]
  ) async -> Int {
    var numbers = lines.map(\.number)
    if !query.isEmpty {
      let texts = lines.map { $0.text + "\n" }.joined()
      let matches = await command(fzfMatching + ["--filter=" + query], input: texts).run().output
      // Each line begins with its number.
      numbers = String(decoding: matches, as: UTF8.self).split(separator: "\n").compactMap { line in
        Int64(line.drop { $0 == " " }.prefix { $0 != " " })
      }
    }
    return (numbers.firstIndex { $0 == number } ?? 0) + 1
  }
}

/// Why fzf cannot be used.
struct FzfFailure: Error {
  let text: String
}

/// Lines for fzf: the number of an item, which only this program and the preview see, and the line.
private func fzfLines(_ lines: [BrowsedItems.Line]) -> String {
  lines.map { "\($0.number)\t\($0.text)\n" }.joined()
}

/// How lines are matched, whatever is in `FZF_DEFAULT_OPTS`.
private let fzfMatching = [
  "--ansi", "--delimiter=\t", "--nth=1..", "--no-sort", "--no-tac", "--enabled",
  "--no-read0",
  "--no-print0",
]

/// The options of fzf, which take precedence over those in `FZF_DEFAULT_OPTS`.
///
/// - Parameter columns: the width of the terminal.
func fzfArguments(query: String, note: String, hasColor: Bool, columns: Int?) -> [String] {
  let keys = BrowseAction.allCases.filter { $0 != .read }
  let hints = ["Enter read"] + keys.map { "^\($0.rawValue.uppercased()) \($0.words)" } + ["Esc end"]
  return fzfMatching + [
    "--with-nth=2..", "--no-multi", "--no-select-1", "--no-exit-0", "--header-lines=0", "--no-height",
    "--no-clear",
    "--layout=reverse", "--info=inline", "--print-query", "--query=" + query,
    "--header="
      + (hintLines(hints, columns.map { $0 - 2 }) + (note.isEmpty ? [] : [note])).joined(separator: "\n"),
    "--expect=" + keys.map { "ctrl-\($0.rawValue)" }.joined(separator: ","), "--bind=enter:accept",
    "--preview=\"$BGFETCH_PROGRAM\" read --peek \"#\"{1}",
    // Beside the list if an article fits there.
    "--preview-window=right,50%,wrap,border-left,<76(down,60%,wrap,border-top)",
  ] + (hasColor ? [] : ["--no-color"])
}

/// The output of fzf: the query, the key, and the line of the item.
struct FzfAnswer {
  let query: String
  let number: Int64?
  let wish: BrowseWish?

  init(_ output: String) {
    let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
    query = String(lines.first ?? "")
    let key = lines.dropFirst().first?.last ?? "\n"
    let number = lines.dropFirst(2).first.flatMap { Int64($0.prefix { $0 != "\t" }) }
    self.number = number
    let action = BrowseAction(rawValue: key)
    wish = action.flatMap { action in
      action.needsItem
        ? number.map { BrowseWish(action: action, range: $0...$0) } : BrowseWish(action: action)
    }
  }
}
