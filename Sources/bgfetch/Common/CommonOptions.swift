// The options of every command, and those of commands that report on work.

import ArgumentParser
import Core

/// The option of every command, and whether a command prints JSON.
protocol SharedOptions: ParsableArguments {
  var config: String? { get }
  var json: Bool { get }
}

/// The option of every command.
struct ConfigurationOption: SharedOptions {
  @Option(help: ArgumentHelp("The configuration file.", valueName: "file"), completion: .configurationFile)
  var config: String?

  var json: Bool { false }

  func validate() throws {
    if config?.isEmpty == true { throw ValidationError("--config takes a file") }
  }
}

/// The options of commands with a result that programs can use.
struct CommonOptions: SharedOptions {
  @OptionGroup var configuration: ConfigurationOption

  @Flag(help: "Print JSON, one object a line.")
  var json = false

  var config: String? { configuration.config }
}

/// The options of lists that may be long.
struct NewestOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Only what is dated since then: 2d, 2026-11-21, \"2026-11-21 08:00\" or 2026-11-21T08:00:00Z.",
      valueName: "when"))
  var since: String?

  @Option(help: ArgumentHelp("At most this number, the newest ones.", valueName: "number"))
  var limit: Int?

  func validate() throws { try requirePositive(limit, "--limit") }

  /// The moment of `--since`; nil without it.
  func beginning(now: Instant, in zone: Zone) throws -> Instant? {
    try since.map { try pastMoment($0, of: "--since", now: now, in: zone) }
  }
}

/// The options of commands that run: how much they report.
struct ReportOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print only new failures and recoveries.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Print everything.")
  var verbose = false

  var amount: ReportAmount { quiet ? .quiet : verbose ? .verbose : .usual }

  func validate() throws {
    if quiet, verbose { throw ValidationError("--quiet cannot be combined with --verbose") }
  }
}

/// How much a command reports about its work.
enum ReportAmount {
  /// Only new failures and recoveries.
  case quiet
  case usual
  case verbose
}
