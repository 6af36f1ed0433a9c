// Programs that are run for tasks, and how they ended: hooks, conditions, and the commands that print feeds or secrets.
//
// Child is a running command, Supervision decides when to end it, Spawn starts it. No shell is ever involved.

import CLinux
import Core
import Glibc

/// A program with its arguments, environment and limits.
public struct Command: Equatable, Sendable {
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
  var grace: Duration
  /// How many bytes of standard output are kept, from its beginning.
  public var outputLimit: Int
  /// Whether standard output is closed at its limit, which ends most programs (SIGPIPE); else the rest is read and dropped.
  public var closesOutputAtLimit = false
  /// How many bytes of standard error are kept, from its end.
  var errorLimit: Int
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
public struct CommandResult: Sendable {
  public let ending: CommandEnding
  /// The beginning of standard output.
  public let output: [UInt8]
  /// Whether there was more standard output.
  public let isOutputCut: Bool
  /// The end of standard error.
  public let errorTail: [UInt8]

  /// The first line of standard output without its newline, repaired if it is not UTF-8; empty if there is none.
  public var firstLine: String {
    String(decoding: output.prefix { $0 != "\n" }, as: UTF8.self)
  }

  /// The result of a command that printed nothing because it never ran.
  static func unstarted(_ ending: CommandEnding) -> CommandResult {
    CommandResult(ending: ending, output: [], isOutputCut: false, errorTail: [])
  }
}

/// How a command ended; an exit status other than 0 is a normal result here.
public enum CommandEnding: Equatable, Sendable {
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
public enum StartFailure: Error, Equatable, Sendable {
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
  /// The system refused, for example for lack of processes or memory, or because arguments are too long.
  case system(SystemError)
}

extension Command {
  /// Runs the command to its end, on a thread of its own; every way of ending is a result, not an error.
  ///
  /// The program gets a process group of its own. At its time limit, and when the task is cancelled, the group gets `SIGTERM` and,
  /// after the grace period, `SIGKILL`. The call returns when the program has ended and nothing of the group writes any more, and
  /// at the latest one second after a cancellation. If the program itself exits, its result counts: processes that it left in the
  /// background keep running, and the call waits only a moment for them if they hold the output's pipes.
  public func run() async -> CommandResult {
    guard !Task.isCancelled else { return .unstarted(.cancelled) }
    do throws(SystemError) {
      let stop = Descriptor(owning: try systemCall { bgfetch_event_descriptor() })
      let result = OneShot<CommandResult>()
      try startThread { supervise(until: stop) { result.settle($0) } }
      return await result.value(onCancel: {
        var one: UInt64 = 1
        stop.borrow { _ = write($0, &one, MemoryLayout<UInt64>.size) }
      })
    } catch {
      return .unstarted(.couldNotStart(.system(error)))
    }
  }

  private func supervise(until stop: Descriptor, finish: (CommandResult) -> Void) {
    // A parent may have ignored SIGCHLD. The system would then reap children before we see how they ended.
    signal(SIGCHLD, SIG_DFL)
    do throws(StartFailure) {
      let (leader, result) = try childToEnd(until: stop)
      let hasEnded = status(of: leader, reap: true) != nil
      finish(result)
      // One that may outlive the call still runs, and the kernel may hold a killed one for long.
      if !hasEnded { _ = waitForEnd(leader) }
    } catch {
      finish(.unstarted(.couldNotStart(error)))
    }
  }

  private func childToEnd(until stop: Descriptor) throws(StartFailure) -> (pid_t, CommandResult) {
    var child = try Child(self, at: WallClock.monotonicMilliseconds())
    return (child.group.leader, child.run(until: stop))
  }
}
