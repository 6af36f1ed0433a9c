// `bgfetch popup`: the process that a hook with `popup: true` starts for each message. It stays until the popup is gone.

import ArgumentParser
import Core
import Machine

struct PopupCommand: ProgramCommand {
  static let heading = ("popup", "Show the message in the environment, and wait for a click")
  static let isListed = false

  @OptionGroup var common: ConfigurationOption

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let environment = invocation.environment
    func text(_ field: String) -> String { environment[variableName(field), default: ""] }
    // The items of a simulation are in no store.
    let items = text("simulated").isEmpty ? text("numbers").split(separator: " ").map { "#" + $0 } : []
    do throws(PopupFailure) {
      let isClicked = try Popup.show(
        // Only notify-send(1) reads backslashes.
        title: text("title"), text: text("body"),
        markup: text("body.markup").replacing(#"\\"#, with: #"\"#), sound: text("sound"),
        urgency: ["low": 0, "critical": 2][text("urgency")] ?? 1, replaced: text("replaces"),
        opens: !items.isEmpty
      ) { identity in
        // The hook has done its work then, and this process runs on.
        invocation.console.print(identity)
      }
      if isClicked { await invocation.show(items) }
      return .success
    } catch {
      invocation.console.say(error.reason, .error)
      return .internalError
    }
  }
}

extension Invocation {
  /// A command of this program.
  func ownCommand(_ name: String) -> [String] { [Machine.programPath, name] }

  /// Marks items as seen, and opens as many as `bgfetch open FEED` does.
  fileprivate func show(_ items: [String]) async {
    func run(_ words: [String]) async -> Bool {
      let command = Command(
        words[0], Array(words.dropFirst()), environment: environment, directory: home, limit: .seconds(60))
      return await command.run().ending == .exited(0)
    }
    let opening = ownCommand("open") + items.prefix(5)
    // A browser should belong to the session, whose display cron does not know. It stays when its unit ends.
    let unit = [
      "systemd-run", "--user", "--wait", "--quiet", "--collect", "--property=KillMode=process",
      "--setenv=BGFETCH_CONFIG=" + environment["BGFETCH_CONFIG", default: ""],
    ]
    _ = await run(ownCommand("seen") + items)
    if await !run(unit + opening) { _ = await run(opening) }
  }
}
