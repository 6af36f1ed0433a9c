// One invocation of the program: environment, clock, console, files of the command line, exit status.

import ArgumentParser
import Config
import Core
import Glibc
import Machine

struct Invocation: Sendable {
  /// The process's environment, without the variables for this process alone.
  let environment: [String: String]
  /// The service manager that started this process, if any.
  let manager: ServiceManager
  let home: String
  var clock: WallClock
  let console: Console
  /// Looks at the machine for conditions.
  let surroundings = SurroundingsReader()
  /// The file from `--config`.
  var namedConfiguration: String?
  /// The state directory of the `run --watch` that started this process, for one run.
  let watchedState: String?
  /// Whether a `run --watch` has started this process, which reports its stages and errors to it.
  var reportsToWatch: Bool { watchedState != nil }

  /// An invocation with the file of `--config`, if there is one.
  init(configuration: String?, isJSON: Bool = false, _ amount: ReportAmount = .usual) throws {
    let all = ProcessEnvironment.current()
    manager = ServiceManager(environment: all)
    watchedState = all[Self.watchVariable]
    // No program can use the address of a proxy with a mistake in it, and many would print it with its password.
    environment = all.filter { name, value in
      !ServiceManager.variables.contains(name) && name != Self.watchVariable
        && !(ProxyAddress.variables.contains(name) && !value.isEmpty && (try? ProxyAddress(value)) == nil)
    }
    guard let home = Machine.homeDirectory(environment: environment) else {
      throw ProgramFailure.noHome(environment["HOME"])
    }
    self.home = home
    do throws(MalformedClock) {
      clock = try WallClock(environment: environment)
    } catch {
      throw ProgramFailure.usage(
        "BGFETCH_NOW is \"\(error.text)\", which is not a time; write it like 2026-11-21T08:30:00Z")
    }
    console = Console(isJSON: isJSON, amount, environment: environment)
    namedConfiguration = configuration
  }

  var directories: StandardDirectories { StandardDirectories(environment: environment, home: home) }
}

/// A command of the program: its options, and what it does.
protocol ProgramCommand: AsyncParsableCommand {
  associatedtype Options: SharedOptions

  /// The name of the command, and what it does.
  static var heading: (String, String) { get }
  static var discussion: String { get }
  /// Whether `bgfetch --help` lists it; a command that only programs need, or seldom a person, is in the manual alone.
  static var isListed: Bool { get }
  var common: Options { get }
  /// How much it reports about its work.
  var amount: ReportAmount { get }

  func run(_ invocation: Invocation) async throws -> ExitStatus
}

extension ProgramCommand {
  static var discussion: String { "" }
  static var isListed: Bool { true }

  var amount: ReportAmount { .usual }

  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: heading.0, abstract: heading.1, discussion: discussion, shouldDisplay: isListed)
  }

  func run() async {
    await endProcess(configuration: common.config, isJSON: common.json, amount) { try await run($0) }
  }
}

/// Does the work of a command, prints its error if it throws, and ends the process.
func endProcess(
  configuration: String?, isJSON: Bool = false, _ amount: ReportAmount,
  after work: (Invocation) async throws -> ExitStatus
) async -> Never {
  let status: ExitStatus
  do {
    let invocation = try Invocation(configuration: configuration, isJSON: isJSON, amount)
    // Progress bars must be gone before an error is printed.
    defer { invocation.console.progress.end() }
    status = try await work(invocation)
  } catch {
    let (lines, failed) = errorText(error)
    let terminal = Terminal(.error, environment: ProcessEnvironment.current())
    for line in lines.map({ wrappedMessage($0, terminal.columns) }) {
      Console.write((terminal.isJournal ? Console.Priority.error.rawValue : "") + line + "\n", to: .error)
    }
    status = failed
  }
  status.end()
}

extension Invocation {
  /// Reads a file; `-` is standard input.
  ///
  /// - Parameters:
  ///   - purpose: the name of the file in error messages.
  ///   - isBelieved: whether to refuse a file that another user may have written (`FileSafety`).
  func read(_ file: String, limit: ByteCount, purpose: String, isBelieved: Bool = false) throws -> [UInt8] {
    try naming(purpose) { () throws(FileFailure) in
      if isBelieved, file != "-" { try FileSafety.require(file) }
      return try file == "-"
        ? readFile("/dev/stdin", limit: limit, patience: nil) : readFile(file, limit: limit)
    }
  }

  /// Prints the output, or writes it atomically to a file that only this user may read; `-` is standard output.
  ///
  /// An existing file is replaced only by force, and keeps its permissions.
  func write(_ text: String, to file: String?, permissions: UInt32 = 0o600) throws {
    guard let file, file != "-" else {
      Console.write(text, to: .output)
      return
    }
    try AtomicFile.replace(file, with: Array(text.utf8), permissions: permissions)
  }
}

extension ExitStatus {
  func end() -> Never {
    OutputPager.finish()
    exit(code)
  }
}
