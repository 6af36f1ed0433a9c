// Runs other programs for tasks and reports how they ended: hooks and commands that print secrets.
//
// Supervisor is the door. ProcessLoop is its one thread, Child a running command, Supervision decides when to end it,
// Spawn starts it. No shell is ever involved.

import Glibc
import Synchronization

/// A program with its arguments, environment and limits.
public struct Command: Hashable, Sendable {
  /// The program's name, looked up in `PATH` of `environment`, or its path.
  public var program: String
  public var arguments: [String]
  /// The whole environment; nothing is added to it.
  public var environment: [String: String]
  /// The working directory; `/` if it cannot be entered.
  public var directory: String
  /// The bytes of standard input; the program may leave them unread.
  public var input: [UInt8]
  /// The time after which its process group is ended; nil means no limit.
  public var limit: Duration?
  /// The time between `SIGTERM` and `SIGKILL`; less than half a second after a cancellation.
  public var grace: Duration
  /// How many bytes of standard output are kept, from its beginning.
  public var outputLimit: Int
  /// Whether standard output is closed at its limit, which ends most programs (SIGPIPE); else the rest is read and dropped.
  public var closesOutputAtLimit = false
  /// How many bytes of standard error are kept, from its end.
  public var errorLimit: Int
  /// Whether it has succeeded once it has printed a line; it may then run on in the background.
  public var mayOutlive = false

  public init(
    _ program: String, _ arguments: [String], environment: [String: String], directory: String,
    input: [UInt8] = [], limit: Duration?, grace: Duration = .seconds(5), outputLimit: Int = 4096,
    errorLimit: Int = 4096
  ) {
    (self.program, self.arguments, self.environment) = (program, arguments, environment)
    (self.directory, self.input, self.limit, self.grace) = (directory, input, limit, grace)
    (self.outputLimit, self.errorLimit) = (outputLimit, errorLimit)
  }
}

/// How a command ended, and the kept parts of its output.
public struct CommandResult: Hashable, Sendable {
  public let ending: CommandEnding
  /// The beginning of standard output.
  public let output: [UInt8]
  /// Whether there was more standard output.
  public let isOutputCut: Bool
  /// The end of standard error.
  public let errorTail: [UInt8]

  /// The first line of standard output without its newline, repaired if it is not UTF-8; empty if there is none.
  public var firstLine: String {
    String(decoding: output.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }

  /// The result of a command that printed nothing because it never ran.
  static func unstarted(_ ending: CommandEnding) -> CommandResult {
    CommandResult(ending: ending, output: [], isOutputCut: false, errorTail: [])
  }
}

/// How a command ended; an exit status other than 0 is a normal result here.
public enum CommandEnding: Hashable, Sendable {
  case exited(Int32)
  /// Ended by a signal that bgfetch did not send.
  case signalled(Int32)
  /// Its time limit passed, and its process group was ended.
  case timedOut
  /// The task was cancelled, and the process group was ended or never started.
  case cancelled
  case couldNotStart(StartFailure)
}

/// Why a program cannot be started.
public enum StartFailure: Error, Hashable, Sendable {
  /// No program has this name on the `PATH`, or this path.
  case notFound(String)
  /// The file at the path is a directory, or is not executable.
  case notExecutable(String)
  /// The file is executable but is neither a program nor a script with a `#!` line.
  case notAProgram(String)
  /// The interpreter in the file's `#!` line or ELF header is missing.
  case interpreterMissing(String)
  /// An argument or variable contains a NUL byte, or a variable's name an `=`.
  case unusableText
  /// Another user could have written the program, or put it there.
  case unsafe(SafetyFinding)
  /// Arguments and environment are longer than the system allows.
  case tooLong
  /// The system refused, for example for lack of processes, descriptors or memory.
  case system(SystemError)
}

/// Runs other programs, many at once if needed, and leaves none of their processes behind.
///
/// Each program gets a process group of its own. No task is blocked. The thread behind it starts with
/// the first command, so that a run without hooks pays nothing.
public final class Supervisor: Sendable {
  private struct State {
    var loop: ProcessLoop?
    var lastID: UInt64 = 0
  }

  private let state = Mutex(State())

  public init() {}

  deinit {
    state.withLock { $0.loop?.stop() }
  }

  /// Runs a command to its end; every way of ending is a result, not an error.
  ///
  /// At its time limit, and when the task is cancelled, its process group gets `SIGTERM` and, after the grace period,
  /// `SIGKILL`. The call returns when the group is gone, and at the latest one second after a cancellation. If the program
  /// itself exits, its result counts: processes that it left in the background keep running, and the call waits only a
  /// moment for them if they hold the output's pipes.
  public func run(_ command: Command) async -> CommandResult {
    let id: UInt64
    let loop: ProcessLoop
    do throws(SystemError) {
      (id, loop) = try next()
    } catch {
      return .unstarted(.couldNotStart(.system(error)))
    }
    return await withTaskCancellationHandler {
      guard !Task.isCancelled else { return .unstarted(.cancelled) }
      return await withCheckedContinuation { continuation in
        loop.start(id, command) { continuation.resume(returning: $0) }
        // A cancellation before this line found a command that the loop did not know yet.
        if Task.isCancelled { loop.cancel(id) }
      }
    } onCancel: {
      loop.cancel(id)
    }
  }

  private func next() throws(SystemError) -> (UInt64, ProcessLoop) {
    try state.withLock { state throws(SystemError) in
      let loop: ProcessLoop
      if let running = state.loop { loop = running } else { loop = try ProcessLoop() }
      state.loop = loop
      state.lastID += 1
      return (state.lastID, loop)
    }
  }
}
