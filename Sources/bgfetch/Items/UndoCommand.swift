// `bgfetch undo`: items that were marked as seen by mistake.

import ArgumentParser
import Core
import Store

struct UndoCommand: ProgramCommand {
  static let heading = ("undo", "Undo the last seen, read or open: its items are unseen again")

  @OptionGroup var common: ConfigurationOption

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: .writing)
    let count = try await state.store.undoSeen(configured: state.settings.feedNames)
    guard count > 0 else {
      invocation.console.say("nothing to undo: no items were marked as seen since the last undo")
      return .success
    }
    invocation.console.print("\(counted(count, "item")) unseen" + badgeWords(try await state.updateBadge()))
    return .success
  }
}
