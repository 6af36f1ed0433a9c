// One invocation of the program: its environment, its clock, its console, and how it ends.

import Config
import Core
import Host
import StateStore

/// One invocation of the program.
struct Invocation: Sendable {
  /// The process's environment, but for what its service manager has to say to it alone.
  let environment: [String: String]
  /// The manager that runs this process as a service, if one does.
  let manager: ServiceManager
  /// The user's home directory.
  let home: String
  /// The clock.
  let clock: WallClock
  /// When the process began, by the clock that files are stamped by (`FileStamp.moment`).
  let started: Int
  /// What is printed.
  let console: Console
  /// The state directory of the command line, absolute.
  let stateOverride: String?
  /// The configuration file of the command line.
  let namedConfiguration: String?

  /// The invocation that the options describe.
  init(_ options: CommonOptions) throws {
    started = FileStamp.moment()
    let all = ProcessEnvironment.current()
    manager = ServiceManager(environment: all)
    environment = all.filter { !ServiceManager.variables.contains($0.key) }
    guard let home = Machine.homeDirectory(environment: environment) else { throw ProgramFailure.noHome }
    self.home = home
    do throws(MalformedClock) {
      clock = try WallClock(environment: environment)
    } catch {
      throw ProgramFailure.clock(error)
    }
    console = Console(options, environment: environment)
    stateOverride = options.state.map(absolutePath)
    namedConfiguration = options.config
  }

  /// Does what a command is for, words what goes wrong, and ends the process.
  static func perform(
    _ options: CommonOptions, _ command: (Invocation) async throws -> ExitStatus
  ) async -> Never {
    let status: ExitStatus
    do {
      let invocation = try Invocation(options)
      // However it ends, nothing is left standing below what is said next.
      defer { invocation.console.progress.end() }
      status = try await command(invocation)
    } catch {
      let (lines, failed) = errorText(error)
      let isJournal = Terminal(.error, environment: ProcessEnvironment.current()).isJournal
      for line in lines {
        Console.write((isJournal ? Console.Priority.error.rawValue : "") + line + "\n", to: .error)
      }
      status = failed
    }
    status.end()
  }
}

/// A path as seen from the root.
func absolutePath(_ path: String) -> String {
  guard !path.hasPrefix("/") else { return path }
  return Machine.workingDirectory + "/" + path
}
