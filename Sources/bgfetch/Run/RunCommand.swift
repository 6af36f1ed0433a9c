// `bgfetch run`: its options. RunOrder and Watch do the work, and RunText prints it.

public import ArgumentParser
public import Core
import Machine

struct RunCommand: ProgramCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Fetch what is due, and report what is new")

  @OptionGroup var common: CommonOptions

  @Argument(
    help: ArgumentHelp("Fetch these feeds now (name, glob or @tag).", valueName: "feed"),
    completion: .feedNames)
  var feeds: [String] = []

  @Flag(help: "With feeds: ignore rate limits and 410. Without: fetch all feeds.")
  var force = false

  @Flag(
    name: .customLong("dry-run"),
    help: "Print what is due and why, and what keep would remove, then exit.")
  var isDryRun = false

  @Option(
    help: ArgumentHelp("Time limit for the whole run, including hooks.", valueName: "duration"),
    transform: readDuration)
  var budget: Interval?

  @Flag(name: .customLong("no-hooks"), help: "Run no hooks for the events of this run.")
  var withoutHooks = false

  @Flag(
    name: .customLong("no-transfers"), help: "Do not download; leave that to another process or a later run.")
  var withoutTransfers = false

  @Flag(help: "If another run holds the lock, wait for it.")
  var wait = false

  @Option(help: ArgumentHelp("What started the run.", valueName: "cause"))
  var cause: RunCause?

  @Flag(help: "Keep running and fetch feeds as they become due; SIGHUP reloads the configuration.")
  var watch = false

  func validate() throws {
    if watch, !feeds.isEmpty || force || isDryRun || wait || cause != nil {
      throw ValidationError("--watch can be combined only with --budget, --no-hooks and --no-transfers")
    }
  }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    var options = RunOptions()
    options.isForced = force
    options.runsHooks = !withoutHooks
    options.cause = try watch ? .watch : cause ?? invocation.cause()
    options.isWatch = options.cause == .watch
    options.limit = budget
    options.transfers = !withoutTransfers
    let order = RunOrder(feeds: feeds, options: options, waits: wait)
    if watch { return try await invocation.watch(order) }
    return isDryRun
      ? try await invocation.planRun(order)
      : try await invocation.reportingErrors { try await invocation.run(order) }
  }
}

extension RunCause: ExpressibleByArgument {
  // Parsing these values with ArgumentParser would cost each run more time than reading the store.

  public static var allValueStrings: [String] { allCases.map { $0.rawValue } }
  public static var allValueDescriptions: [String: String] { [:] }
}

/// Reads a duration from the command line.
func readDuration(_ text: String) throws -> Interval {
  guard let interval = Interval(text: text) else {
    throw ValidationError("\"\(text)\" is not a duration; write 90s, 15m or 1h30m")
  }
  if let tooLong = tooLongText(interval) { throw ValidationError("\"\(text)\" \(tooLong)") }
  return interval
}
