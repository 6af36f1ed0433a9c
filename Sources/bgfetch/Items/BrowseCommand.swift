// `bgfetch browse`: a list of items to choose from, and what can be done with each.

import ArgumentParser
import Core
import Machine
import Store

struct BrowseCommand: ProgramCommand {
  static let heading = ("browse", "Choose items from a list, and read them")
  static let discussion =
    "With fzf, if it is installed, else a menu. Unseen items, unless options choose others."

  @OptionGroup var common: ConfigurationOption

  @OptionGroup var chosen: ChosenItems

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    guard StandardInput.isTerminal, invocation.console.output.isTerminal else {
      throw ProgramFailure.usage("browse needs a terminal; bgfetch items prints a list anywhere")
    }
    let state = try await invocation.openState(for: .reading)
    let (numbers, areNewest) = try await state.numbers(
      of: chosen, ItemQuery(unseenOnly: true), orNewest: 500)
    let note = areNewest ? "nothing is unseen; these are the newest items" : ""
    guard !numbers.isEmpty else {
      await state.store.close()
      invocation.console.say(chosen.nothingThere)
      return .success
    }
    let fzf = FzfList(invocation)
    let items = try await BrowsedItems(numbers, state)
    var reader = Reader(invocation, items, note)
    try await reader.browse(with: fzf ?? NumberedMenu(invocation.console))
    await state.recordListing(of: chosen)
    return .success
  }
}

/// An action of a person on the list.
enum BrowseAction: Character, CaseIterable {
  case open = "o"
  case seen = "s"
  case star = "t"
  case undo = "z"
  case order = "r"
  /// Has no letter: Enter, or the number alone.
  case read = "\n"

  /// Its name for the person.
  var words: String {
    switch self {
    case .open: "browser"
    case .seen: "seen"
    case .star: "star"
    case .undo: "undo"
    case .order: "reverse"
    case .read: "read"
    }
  }

  /// Whether it is done to an item.
  var needsItem: Bool { self != .undo && self != .order }
}

/// The hints about keys in lines of a width, none of them broken.
func hintLines(_ hints: [String], _ columns: Int?) -> [String] {
  // No-break spaces.
  wrapped(hints.map { $0.replacing(" ", with: "\u{A0}") }.joined(separator: "  "), columns)
    .map { $0.replacing("\u{A0}", with: " ") }
}

/// An action, with the numbers of the items it is for.
struct BrowseWish: Hashable {
  var action: BrowseAction
  var range: ClosedRange<Int64> = 0...0
}

/// A screen with the list, on which a person chooses.
protocol ItemScreen {
  /// Shows the list until the person chooses; nil means to end.
  ///
  /// - Parameter note: the result of the last action.
  mutating func choose(from items: inout BrowsedItems, note: String) async throws -> BrowseWish?

  /// Leaves the terminal to other programs, until the next choice.
  mutating func leave()
}

/// The session of a person who browses: each action is a command of this program.
private struct Reader {
  private let invocation: Invocation
  private var items: BrowsedItems
  /// The result of the last action, for the person.
  private var note: String

  init(_ invocation: Invocation, _ items: BrowsedItems, _ note: String) {
    (self.invocation, self.items, self.note) = (invocation, items, note)
  }

  mutating func browse(with first: any ItemScreen) async throws {
    var screen = first
    defer { screen.leave() }
    while let wish = try await choice(on: &screen) {
      let numbers = items.numbers.filter(wish.range.contains)
      let words = numbers.map { "#\($0)" }
      note = ""
      switch wish.action {
      case .undo: await run(["undo"])
      case .order: items.reverse()
      case _ where words.isEmpty: note = "there is no item \(wish.range.lowerBound) in this list"
      case .read:
        screen.leave()
        read(words)
      case .open where !invocation.browsesOnTerminal: await run(["open"] + words)
      case .open:
        screen.leave()
        if onTerminal(["open"] + words) != .exited(0) { askToGoOn() }
      case .seen: await run([items.haveUnseen(numbers) ? "seen" : "unseen"] + words)
      case .star: await run([items.areStarred(numbers) ? "unstar" : "star"] + words)
      }
    }
  }

  /// The choice on a screen, or on a menu if fzf fails.
  private mutating func choice(on screen: inout any ItemScreen) async throws -> BrowseWish? {
    do {
      return try await screen.choose(from: &items, note: note)
    } catch let error as FzfFailure {
      screen.leave()
      screen = NumberedMenu(invocation.console)
      return try await screen.choose(from: &items, note: error.text)
    }
  }

  /// Shows articles until the person has read them.
  private func read(_ items: [String]) {
    // By default less ends at once if an article fits the screen, and the list would cover it.
    let pager = invocation.environment["PAGER"] ?? "less"
    let isLess =
      pager.split(separator: " ").first?.split(separator: "/").last == "less" && invocation.hasPager
    let ending = onTerminal(["read"] + items, isLess ? ["PAGER": pager + " -+F -+X"] : [:])
    // ^C, too, goes back to the list.
    if !isLess || ![.exited(0), .exited(ExitStatus.stopped(.interrupt).code)].contains(ending) {
      askToGoOn()
    }
  }

  /// Waits until the person has seen what is on the terminal.
  private func askToGoOn() {
    Console.write("\nEnter: back to the list ", to: .error)
    _ = readLine()
  }

  private func onTerminal(_ words: [String], _ variables: [String: String] = [:]) -> CommandEnding {
    var command = invocation.command(of: words)
    command.environment.merge(variables) { $1 }
    do throws(StartFailure) {
      return try runOnTerminal(command)
    } catch {
      invocation.console.say(startText(error), .error)
      return .couldNotStart(error)
    }
  }

  /// Runs a command of this program; what it prints is the note.
  private mutating func run(_ words: [String]) async {
    let result = await invocation.command(of: words).run()
    let lines = String(decoding: result.output + result.errorTail, as: UTF8.self).split(separator: "\n")
    note = cleanText(lines.joined(separator: "; "), limit: 300)
    if note.isEmpty, result.ending != .exited(0) { note = "bgfetch \(words[0]) \(endingText(result.ending))" }
  }
}

extension Invocation {
  /// A command of this program on the same configuration.
  fileprivate func command(of words: [String]) -> Command {
    Command(
      Machine.programPath, words, environment: environmentOfOwnCommands,
      directory: Machine.workingDirectory, limit: nil)
  }

  /// The environment in which commands of this program use the same configuration.
  var environmentOfOwnCommands: [String: String] {
    var environment = environment
    if let namedConfiguration { environment["BGFETCH_CONFIG"] = absolutePath(namedConfiguration) }
    return environment
  }
}
