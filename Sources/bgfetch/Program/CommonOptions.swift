// The options every command has.

import ArgumentParser
import Host

/// The options every command has.
struct CommonOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The configuration file.", valueName: "file"), completion: .configurationFile)
  var config: String?

  @Option(
    help: ArgumentHelp("The state directory, in place of the configured one.", valueName: "directory"),
    completion: .directory)
  var state: String?

  @Flag(help: "Print JSON, one object a line.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print only what changed for the worse or came back.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Print everything.")
  var verbose = false

  @Option(help: "When to use colour.")
  var color = ColorChoice.auto

  func validate() throws {
    if config?.isEmpty == true { throw ValidationError("--config takes a file") }
    if state?.isEmpty == true { throw ValidationError("--state takes a directory") }
  }
}

/// When colour is used.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
  /// On a terminal, unless `NO_COLOR` is set.
  case auto
  /// Always.
  case always
  /// Never.
  case never

  // See `RunCause`.
  static var allValueStrings: [String] { allCases.map { $0.rawValue } }
  static var allValueDescriptions: [String: String] { [:] }
}
