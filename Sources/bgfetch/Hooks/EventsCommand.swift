// `bgfetch events`: prints the events of a consumer as JSON lines, each once.

import ArgumentParser
import Core
import Machine

struct EventsCommand: ProgramCommand {
  static let configuration = CommandConfiguration(
    commandName: "events", abstract: "Print the events of a consumer, each once, as JSON lines")

  @OptionGroup var common: CommonOptions

  @Option(
    help: ArgumentHelp("The hook with consumer: true whose events to print.", valueName: "name"),
    completion: .hookNames)
  var consumer: String

  @Flag(help: "Wait for further events, until interrupted.")
  var follow = false

  @Flag(help: "An event counts as read when its event-id comes back on standard input, one a line.")
  var acknowledge = false

  @Option(help: ArgumentHelp("Print at most this many events.", valueName: "number"))
  var limit: Int?

  func validate() throws { try requirePositive(limit, "--limit") }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let settings = try invocation.configuration().settings
    let hook = try configuredConsumer(consumer, settings)
    let store = try await invocation.openStore(settings, for: .writing)
    var reader = EventReader(write: write)
    if acknowledge { reader.acknowledgement = { await nextInputLine() } }
    let isFree = try await OpenedState(invocation, settings, store).withEffects { effects in
      try await passEvents(of: hook, to: reader, limit: limit, follows: follow, effects)
    }
    guard isFree else { throw ProgramFailure.consumerInUse(consumer) }
    return .success
  }
}

/// Writes events as JSON lines; false if nobody reads them.
@Sendable private func write(_ events: [Event]) throws -> Bool {
  Console.write(events.map { eventJSON($0).text + "\n" }.joined(), to: .output)
}

/// The hook with a name that is a consumer; any other name is a usage error.
private func configuredConsumer(_ name: String, _ settings: Settings) throws -> HookSpec {
  let hook = try configuredHook(name, settings)
  guard hook.isConsumer else {
    throw ProgramFailure.usage(
      "the hook \"\(name)\" is no consumer; write consumer: true in place of its program or webhook")
  }
  return hook
}
