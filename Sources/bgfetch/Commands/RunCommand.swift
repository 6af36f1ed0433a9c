// `bgfetch run`.

public import ArgumentParser
public import Core
import Host
import Sync

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Fetch what is due, and say what is new")

  @OptionGroup var common: CommonOptions

  @Argument(
    help: ArgumentHelp("Feeds that are due now, by name, glob or @tag.", valueName: "feed"),
    completion: .feedNames)
  var feeds: [String] = []

  @Flag(help: "With names: even against a rate limit or after 410. Without: all feeds are due.")
  var force = false

  @Flag(
    name: .customLong("dry-run"),
    help: "Print what is due, and why, and what keep would remove; nothing is done.")
  var isDryRun = false

  @Option(
    help: ArgumentHelp("How long the whole run may take, hooks included.", valueName: "duration"),
    transform: readDuration)
  var budget: Interval?

  @Flag(name: .customLong("no-hooks"), help: "Tell hooks nothing of this run.")
  var withoutHooks = false

  @Flag(name: .customLong("no-transfers"), help: "Bring no files; another process does, or a later run.")
  var withoutTransfers = false

  @Flag(help: "Wait for the run that holds the lock.")
  var wait = false

  @Option(help: ArgumentHelp("What woke the run.", valueName: "cause"))
  var cause: RunCause?

  @Flag(help: "Stay, and fetch whatever is due when it is due; SIGHUP reads the configuration again.")
  var watch = false

  func validate() throws {
    if watch, !feeds.isEmpty || force || isDryRun || wait || cause != nil {
      throw ValidationError("--watch goes with --budget, --no-hooks and --no-transfers alone")
    }
  }

  func run() async {
    await Invocation.perform(common) { invocation in
      var options = RunOptions()
      options.isForced = force
      options.runsHooks = !withoutHooks
      options.cause = try watch ? .watch : cause ?? invocation.cause()
      options.limit = budget
      options.transfers = !withoutTransfers
      let order = RunOrder(feeds: feeds, options: options, waits: wait)
      if watch { return try await invocation.watch(order) }
      return isDryRun ? try await invocation.planRun(order) : try await invocation.run(order)
    }
  }
}

extension RunCause: ExpressibleByArgument {
  // As the parser would find it out itself, by ways that cost each run more than its look at the store.

  /// What may be written.
  public static var allValueStrings: [String] { allCases.map { $0.rawValue } }
  /// What is said of each beside its name.
  public static var allValueDescriptions: [String: String] { [:] }
}

/// Reads a duration of the command line.
func readDuration(_ text: String) throws -> Interval {
  guard let interval = Interval(text: text) else {
    throw ValidationError("\"\(text)\" is not a length of time; write 90s, 15m or 1h30m")
  }
  if let tooLong = tooLongText(interval) { throw ValidationError("\"\(text)\" \(tooLong)") }
  return interval
}
