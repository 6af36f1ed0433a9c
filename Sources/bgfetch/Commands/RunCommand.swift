// `bgfetch run`.

public import ArgumentParser
import Host
public import Model
import Sync
import Timing

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Fetch what is due, and say what is new")

  @OptionGroup var common: CommonOptions

  @Argument(
    help: ArgumentHelp("Feeds that are due now, by name, glob or @tag.", valueName: "feed"),
    completion: .feedNames)
  var feeds: [String] = []

  @Flag(help: "With names: also against a rate limit. Without: all feeds are due.")
  var force = false

  @Flag(name: .customLong("dry-run"), help: "Only say what would happen.")
  var isDryRun = false

  @Option(help: ArgumentHelp("How long the run may take.", valueName: "duration"), transform: readDuration)
  var budget: Interval?

  @Flag(name: .customLong("no-hooks"), help: "Tell hooks nothing of this run.")
  var withoutHooks = false

  @Flag(help: "Wait for a run that is at work.")
  var wait = false

  @Option(help: ArgumentHelp("What woke the run: timer, push, manual or watch.", valueName: "cause"))
  var cause: RunCause?

  func run() async {
    await Invocation.perform(common) { invocation in
      var options = RunOptions()
      options.isForced = force
      options.tellsHooks = !withoutHooks
      options.cause = try cause ?? invocation.cause()
      options.limit = budget
      let order = RunOrder(feeds: feeds, options: options, waits: wait)
      return isDryRun ? try await invocation.planRun(order) : try await invocation.run(order)
    }
  }
}

extension RunCause: ExpressibleByArgument {}

/// Reads a duration of the command line.
func readDuration(_ text: String) throws -> Interval {
  guard let interval = Interval(text: text) else {
    throw ValidationError("\"\(text)\" is not a length of time; write 90s, 15m or 1h30m")
  }
  return interval
}
