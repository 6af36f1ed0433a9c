// One invocation of the program: environment, clock, console, files of the command line, exit status.

import Config
import Core
import Glibc
import Host
import Sync

/// One invocation of the program.
struct Invocation: Sendable {
  /// The process's environment, but for what its service manager has to say to it alone.
  let environment: [String: String]
  /// The manager that runs this process as a service, if one does.
  let manager: ServiceManager
  let home: String
  let clock: WallClock
  /// When the process began, by the clock that files are stamped by (`FileStamp.moment`).
  let started: Int
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

extension Invocation {
  /// All bytes of a file; `-` is standard input.
  ///
  /// The purpose names it in what goes wrong. What is believed must not be another user's (`FileSafety`).
  func read(
    _ file: String, limit: ByteCount, purpose: String, isBelieved: Bool = false
  ) throws -> [UInt8] {
    do throws(FileFailure) {
      if isBelieved, file != "-" { try FileSafety.require(file) }
      return try readFile(file == "-" ? "/dev/stdin" : file, limit: limit, patience: nil)
    } catch {
      throw ProgramFailure.file(error, purpose: purpose)
    }
  }
}

extension Invocation {
  /// Prints an answer, or writes it to a file, whole and for this user alone; `-` is standard output.
  ///
  /// A file that is there is only replaced by force, and then keeps its permissions.
  func write(_ answer: String, to file: String?, isForced: Bool) throws {
    guard let file, file != "-" else { return Console.write(answer, to: .output) }
    do throws(FileFailure) {
      if isForced {
        try AtomicFile.replace(file, with: Array(answer.utf8), permissions: 0o600)
      } else {
        try NewFile.create(file, with: Array(answer.utf8), permissions: 0o600)
      }
    } catch {
      guard error.problem == .exists else { throw error }
      throw ProgramFailure.usage("\(file): already exists; name another file, or replace it with --force")
    }
  }
}

/// The numbers the program ends with.
enum ExitStatus: Hashable {
  case success
  case internalError
  /// The command line is wrong.
  case usage
  /// Some feeds failed, others did not; or `status --problems` found some.
  case someFailed
  /// Every attempted feed failed; or `parse` read no feed.
  case allFailed
  /// The state or a documents directory cannot be read or written.
  case storage
  /// Try later: another run holds the lock, or the machine is offline.
  case tryLater
  /// The configuration is wrong, or there is none.
  case configuration
  /// Stopped by a signal, everything suspended.
  case stopped(StopSignal)

  var code: Int32 {
    switch self {
    case .success: 0
    case .internalError: 1
    case .usage: 2
    case .someFailed: 3
    case .allFailed: 4
    case .storage: 74
    case .tryLater: 75
    case .configuration: 78
    case .stopped(let signal): 128 + signal.rawValue
    }
  }

  /// The status of a run, by its report.
  init(of report: RunReport) {
    switch report.exitStatus {
    case 3: self = .someFailed
    case 4: self = .allFailed
    case 74: self = .storage
    case 75: self = .tryLater
    default: self = .success
    }
  }

  func end() -> Never {
    exit(code)
  }
}
