// `bgfetch star` and `unstar`: the items that a person keeps.

import ArgumentParser
import Core
import Store

struct StarCommand: ProgramCommand {
  static let heading = ("star", "Star items, which are then never pruned; unstar undoes that")

  @OptionGroup var common: ConfigurationOption
  @OptionGroup var chosen: ChosenItems

  func validate() throws { try chosen.requireNames() }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: .writing)
    let numbers = try await state.numbers(of: chosen, ItemQuery())
    return try await state.star(numbers, isStarred: true)
  }
}

struct UnstarCommand: ProgramCommand {
  static let heading = ("unstar", "Take the star from items")
  static let isListed = false

  @OptionGroup var common: ConfigurationOption
  @OptionGroup var chosen: ChosenItems

  func validate() throws { try chosen.requireNames() }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: .writing)
    let numbers = try await state.numbers(of: chosen, ItemQuery(starredOnly: true))
    return try await state.star(numbers, isStarred: false)
  }
}

extension OpenedState {
  fileprivate func star(_ numbers: [Int64], isStarred: Bool) async throws -> ExitStatus {
    let count = try await store.star(numbers, isStarred: isStarred)
    await writeOutputs()
    console.print(
      isStarred
        ? markedText(count, of: numbers, "starred")
        : count > 0 ? "\(counted(count, "item")) no longer starred" : "none of these items had a star")
    return .success
  }
}
