// The options of every command, and those of commands that report on work.

import ArgumentParser

/// The options of every command.
struct CommonOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The configuration file.", valueName: "file"), completion: .configurationFile)
  var config: String?

  @Option(
    help: ArgumentHelp("The state directory, instead of the configured one.", valueName: "directory"),
    completion: .directory)
  var state: String?

  @Flag(help: "Print JSON, one object a line.")
  var json = false

  @Option(help: "When to use colour.")
  var color = ColorChoice.auto

  func validate() throws {
    if config?.isEmpty == true { throw ValidationError("--config takes a file") }
    if state?.isEmpty == true { throw ValidationError("--state takes a directory") }
  }
}

/// The options of commands that run: how much they report.
struct ReportOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print only new failures and recoveries.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Print everything.")
  var verbose = false

  var amount: ReportAmount { quiet ? .quiet : verbose ? .verbose : .usual }
}

/// How much a command reports about its work.
enum ReportAmount {
  /// Only new failures and recoveries.
  case quiet
  case usual
  case verbose
}

enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
  /// On a terminal, unless `NO_COLOR` is set.
  case auto
  case always
  case never

  // See `RunCause`.
  static var allValueStrings: [String] { allCases.map { $0.rawValue } }
  static var allValueDescriptions: [String: String] { [:] }
}
