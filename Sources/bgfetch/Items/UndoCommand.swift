// `bgfetch undo`: items that were marked as seen by mistake.

import ArgumentParser
import Core
import Store

struct UndoCommand: ProgramCommand {
  static let heading = ("undo", "Undo the last seen, read or open: its items are unseen again")

  @OptionGroup var common: ConfigurationOption

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: .writing)
    let items = try await state.store.undoSeen(configured: state.settings.feedNames)
    let feeds = Set(items).sorted().map(\.text)
    guard !feeds.isEmpty else {
      invocation.console.say(
        "nothing more to undo: only the last seen, read or open can be undone; use bgfetch unseen")
      return .success
    }
    let places = feeds.count > 3 ? "\(feeds.count) feeds" : list(feeds, "and")
    let what = counted(items.count, "item of \(places) is", plural: "items of \(places) are")
    invocation.console.print("undone: \(what) unseen again" + badgeWords(try await state.updateBadge()))
    return .success
  }
}
