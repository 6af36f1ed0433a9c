// Runs other programs for tasks and reports how they ended: hooks and commands that print secrets.
//
// Supervisor is the door. ProcessLoop is its one thread, Child a running command, Supervision decides when to end it,
// Spawn starts it. No shell is ever involved.

import CLinux
import Core
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
    String(decoding: output.prefix { $0 != "\n" }, as: UTF8.self)
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
  /// `SIGKILL`. The call returns when the program has ended and nothing of the group writes any more, and at the latest one second
  /// after a cancellation. If the program
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

// MARK: The thread

/// Runs commands on a thread of its own, which sleeps in poll(2) while nothing happens.
final class ProcessLoop: Sendable {
  /// A command waiting to be started.
  private struct Order {
    let id: UInt64
    let command: Command
    let finish: @Sendable (CommandResult) -> Void
  }

  private struct Inbox {
    var orders: [Order] = []
    var cancelled: [UInt64] = []
    var isStopping = false
  }

  private let inbox = Mutex(Inbox())
  private let bell: Descriptor

  /// Starts the thread, which runs until `stop` and the end of its last child.
  init() throws(SystemError) {
    bell = Descriptor(owning: try systemCall { bgfetch_event_descriptor() })
    try startThread { self.work() }
  }

  /// Runs a command; `finish` is called once, on the loop's thread.
  func start(_ id: UInt64, _ command: Command, finish: @escaping @Sendable (CommandResult) -> Void) {
    inbox.withLock { $0.orders.append(Order(id: id, command: command, finish: finish)) }
    ring()
  }

  /// Ends a command, started or not; does nothing if it is done.
  func cancel(_ id: UInt64) {
    inbox.withLock { $0.cancelled.append(id) }
    ring()
  }

  /// Ends the thread when nothing is left to do.
  func stop() {
    inbox.withLock { $0.isStopping = true }
    ring()
  }

  private func ring() {
    var one: UInt64 = 1
    // It fails only if the counter is near 2^64, and then the thread wakes anyway.
    bell.borrow { _ = write($0, &one, MemoryLayout<UInt64>.size) }
  }

  private func work() {
    // A parent may have ignored SIGCHLD. The system would then reap children before we see how they ended.
    signal(SIGCHLD, SIG_DFL)
    var children: [UInt64: Child] = [:]
    // Killed, but not yet released by the kernel.
    var stuck: [pid_t] = []
    while true {
      let news = inbox.withLock { inbox in
        defer { inbox = Inbox(isStopping: inbox.isStopping) }
        return inbox
      }
      if news.isStopping, children.isEmpty, news.orders.isEmpty { return }
      for order in news.orders { begin(order, &children) }
      for id in news.cancelled { children[id]?.isCancelled = true }
      stuck.removeAll { status(of: $0, reap: true) != nil }
      for id in Array(children.keys) { advance(id, &children, &stuck) }
      sleep(children, atMost: stuck.isEmpty ? nil : Self.stuckTime)
    }
  }

  private func begin(_ order: Order, _ children: inout [UInt64: Child]) {
    do throws(StartFailure) {
      children[order.id] = try Child(
        order.command, at: WallClock.monotonicMilliseconds(), finish: order.finish)
    } catch {
      order.finish(.unstarted(.couldNotStart(error)))
    }
  }

  /// Does everything that is possible for one child now.
  private func advance(_ id: UInt64, _ children: inout [UInt64: Child], _ stuck: inout [pid_t]) {
    // Check for its end first, so that everything it wrote before is then read.
    children[id]?.checkLeader()
    children[id]?.exchange()
    let now = WallClock.monotonicMilliseconds()
    while let step = children[id]?.step(at: now) {
      switch step {
      case .terminateGroup: children[id]?.group.terminate()
      case .killGroup: children[id]?.group.kill()
      case .finish(let ending):
        guard let child = children.removeValue(forKey: id) else { return }
        if status(of: child.group.leader, reap: true) == nil { stuck.append(child.group.leader) }
        child.finish(child.result(ending))
        return
      }
    }
  }

  /// How often to check for the end of a killed child that the kernel holds, in milliseconds: no event reports it.
  private static let stuckTime: Int64 = 200

  /// Waits until something happens or a child is due for a check.
  private func sleep(_ children: [UInt64: Child], atMost limit: Int64?) {
    let now = WallClock.monotonicMilliseconds()
    var wanted = [bell.borrow { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }]
    for child in children.values {
      let handle = child.ending == nil ? child.handle : nil
      for source in [handle, child.outputPipe, child.errorPipe] {
        if let source { wanted.append(source.borrow { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }) }
      }
      if let pipe = child.inputPipe {
        wanted.append(pipe.borrow { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) })
      }
    }
    let checks =
      children.values.compactMap { $0.nextCheck(after: now) } + [limit].compactMap { $0.map { now + $0 } }
    let wait = checks.min().map { Int32(clamping: max(0, $0 - now)) } ?? -1
    // The result does not matter: everything is checked again.
    poll(&wanted, nfds_t(wanted.count), wait)
    var rings: UInt64 = 0
    bell.borrow { _ = read($0, &rings, MemoryLayout<UInt64>.size) }
  }
}
