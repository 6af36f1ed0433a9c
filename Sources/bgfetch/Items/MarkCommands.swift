// `bgfetch seen`, `unseen`, `star` and `unstar`: the marks of items.

import ArgumentParser
import Core
import Store

/// A command that marks items in a way.
protocol MarkCommand: ProgramCommand {
  var chosen: ChosenItems { get }
  /// The items of feeds that it marks unless an option says otherwise.
  static var standard: ItemQuery { get }

  /// Marks items; returns the message about it.
  func mark(_ numbers: [Int64], _ state: OpenedState) async throws -> String
}

extension MarkCommand {
  static var standard: ItemQuery { ItemQuery() }

  func validate() throws { try chosen.requireNames() }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: .writing)
    let numbers = try await state.numbers(of: chosen, Self.standard)
    invocation.console.print(try await mark(numbers, state))
    return .success
  }

  /// How many of the chosen items were marked; of none, why.
  fileprivate func text(
    _ count: Int, of numbers: [Int64], _ what: String, ifNone reason: String = noSuchItems
  ) -> String {
    if count > 0 { return "\(counted(count, "item")) \(what)" }
    return numbers.isEmpty
      ? "nothing changed: \(reason)"
      : "\(counted(numbers.count, "item was", plural: "items were")) \(what) already"
  }
}

struct SeenCommand: MarkCommand {
  static let heading = ("seen", "Mark items as seen; unseen marks them as unseen again")
  static var standard: ItemQuery { ItemQuery(unseenOnly: true) }

  @OptionGroup var common: ConfigurationOption
  @OptionGroup var chosen: ChosenItems

  func mark(_ numbers: [Int64], _ state: OpenedState) async throws -> String {
    let count = try await state.store.markSeen(numbers, configured: state.settings.feedNames)
    return text(count, of: numbers, "seen", ifNone: chosen.nothingFound)
      + badgeWords(try await state.updateBadge())
  }
}

struct UnseenCommand: MarkCommand {
  static let heading = ("unseen", "Mark items as unseen again, and raise the badge")
  static let isListed = false

  @OptionGroup var common: ConfigurationOption
  @OptionGroup var chosen: ChosenItems

  func mark(_ numbers: [Int64], _ state: OpenedState) async throws -> String {
    let count = try await state.store.markUnseen(numbers, configured: state.settings.feedNames)
    return text(count, of: numbers, "unseen") + badgeWords(try await state.updateBadge())
  }
}

struct StarCommand: MarkCommand {
  static let heading = ("star", "Star items, which are then never pruned; unstar undoes that")

  @OptionGroup var common: ConfigurationOption
  @OptionGroup var chosen: ChosenItems

  func mark(_ numbers: [Int64], _ state: OpenedState) async throws -> String {
    let count = try await state.store.star(numbers, isStarred: true)
    await state.writeOutputs()
    return text(count, of: numbers, "starred")
  }
}

struct UnstarCommand: MarkCommand {
  static let heading = ("unstar", "Take the star from items")
  static let isListed = false
  static var standard: ItemQuery { ItemQuery(starredOnly: true) }

  @OptionGroup var common: ConfigurationOption
  @OptionGroup var chosen: ChosenItems

  func mark(_ numbers: [Int64], _ state: OpenedState) async throws -> String {
    let count = try await state.store.star(numbers, isStarred: false)
    await state.writeOutputs()
    return count > 0 ? "\(counted(count, "item")) no longer starred" : "none of these items had a star"
  }
}
