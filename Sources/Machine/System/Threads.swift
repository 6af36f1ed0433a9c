// Threads for work that blocks, and waiting for them in a task; and queues of jobs, each served by one thread: the executors of
// Swift's tasks and of the store.
//
// Tasks never run on libdispatch, Swift's default: it waits for ever if the system refuses it a thread, ends the process if
// it gets no descriptor, and wakes an idle process once a second.

import CLinux
import Core
import Glibc
import Synchronization

/// Runs a closure on a new thread with every signal blocked.
func startThread(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
  pthread_detach(try newThread(body))
}

/// A new thread that runs a closure with every signal blocked, so that signal handlers run on other threads; to be joined or
/// detached.
///
/// `SIGPIPE`, which libcurl does not block under `CURLOPT_NOSIGNAL`, must not end the process when a server closes a
/// connection.
func newThread(_ body: @escaping @Sendable () -> Void) throws(SystemError) -> pthread_t {
  // A thread inherits the signal mask of the thread that creates it.
  var everySignal = sigset_t()
  var before = sigset_t()
  sigfillset(&everySignal)
  pthread_sigmask(SIG_SETMASK, &everySignal, &before)
  defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

  let box = Unmanaged.passRetained(ThreadBody(body))
  var thread = pthread_t()
  let code = pthread_create(
    &thread, nil,
    { argument in
      if let argument { Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run() }
      return nil
    }, box.toOpaque())
  guard code == 0 else {
    box.release()
    throw SystemError(code: code)
  }
  return thread
}

/// A closure as an object, since a C function pointer carries one pointer only.
private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) {
    self.run = run
  }
}

// MARK: Work that blocks

/// Runs blocking work on a thread of its own and returns its outcome.
///
/// The work runs to its end even if the task is cancelled: the caller must know what it changed.
func onOwnThread<Outcome: Sendable>(_ work: @escaping @Sendable () -> Outcome) async -> Outcome {
  await withCheckedContinuation { continuation in
    onThread { continuation.resume(returning: work()) }
  }
}

/// Does work on a thread of its own, where the task can leave it.
///
/// The work is left to itself, until the process ends, if it goes on for the patience after the task was cancelled or the
/// limit has passed.
///
/// - Returns: the outcome, or nil if the work was left.
public func workAside<Outcome: Sendable>(
  atMost limit: Duration? = nil, patience: Duration, _ work: @escaping @Sendable () -> Outcome
) async -> Outcome? {
  let end = OneShot<Outcome?>()
  let leave = { @Sendable (length: Duration) in
    Task(executorPreference: ProgramTasks.executor) {
      if (try? await WallClock.sleep(for: length)) != nil { end.settle(nil) }
    }
  }
  let timer = limit.map { leave($0 + patience) }
  defer { timer?.cancel() }
  return await end.value {
    onThread { end.settle(work()) }
  } onCancel: {
    _ = leave(patience)
  }
}

/// Runs work on a thread of its own, or on this one if the system refuses a thread.
private func onThread(_ work: @escaping @Sendable () -> Void) {
  do throws(SystemError) {
    try startThread(work)
  } catch {
    work()
  }
}

// MARK: Waiting in a task

/// One value that one task waits for; the first value counts.
final class OneShot<Value: Sendable>: Sendable {
  private enum Stage {
    case new
    case waiting(CheckedContinuation<Value, Never>)
    case settled(Value)
  }

  private let stage = Mutex(Stage.new)

  /// Waits for the value, which may have come already; to be called once.
  ///
  /// - Parameters:
  ///   - start: starts what makes the value, once a task waits for it.
  ///   - cancel: called if the task is cancelled.
  func value(after start: () -> Void = {}, onCancel cancel: @Sendable () -> Void = {}) async -> Value {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let early: Value? = stage.withLock { stage in
          if case .settled(let value) = stage { return value }
          stage = .waiting(continuation)
          return nil
        }
        if let early { continuation.resume(returning: early) } else { start() }
      }
    } onCancel: {
      cancel()
    }
  }

  /// Ends the wait, if this is the first value.
  func settle(_ value: Value) {
    let waiting: CheckedContinuation<Value, Never>? = stage.withLock { stage in
      if case .settled = stage { return nil }
      defer { stage = .settled(value) }
      guard case .waiting(let continuation) = stage else { return nil }
      return continuation
    }
    waiting?.resume(returning: value)
  }

  /// Waits for a value, or throws its error, or `CancellationError` as soon as the task is cancelled.
  func outcome<Success>() async throws -> Success where Value == Result<Success, any Error> {
    try await value(onCancel: { settle(.failure(CancellationError())) }).get()
  }
}

// MARK: Queues of jobs

/// A semaphore: each ring ends one wait.
final class Bell: Sendable {
  private let address = bgfetch_new_bell()

  deinit { bgfetch_free_bell(address) }

  func ring() { bgfetch_ring(address) }

  /// Waits for a ring, at most for a duration, which does not pass while the machine sleeps.
  func wait(atMost limit: Duration? = nil) {
    bgfetch_wait_for_ring(address, limit.map { max(0, $0.nanoseconds) } ?? -1)
  }
}

extension Duration {
  fileprivate var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? .max : whole.addingReportingOverflow(attoseconds / 1_000_000_000).partialValue
  }
}

/// Jobs and timers that wait for the thread of an executor.
final class JobQueue: Sendable {
  private struct Timer {
    let number: Int
    let end: SuspendingClock.Instant
    let call: @Sendable () -> Void
  }

  private struct State {
    var jobs: [UnownedJob] = []
    /// The latest first.
    var timers: [Timer] = []
    var lastTimer = 0
    /// Whether the thread waits, and must be woken.
    var isWaiting = false
    var isServed = false
    var isClosed = false
  }

  private let state = Mutex(State())
  private let bell = Bell()

  /// Whether a thread serves the queue.
  var isServed: Bool { state.withLock { $0.isServed } }

  func add(_ job: UnownedJob) { change { $0.jobs.append(job) } }

  /// Ends the thread once it has run the jobs.
  func close() { change { $0.isClosed = true } }

  /// Calls a quick function on the thread after a duration; returns the number of the timer.
  func start(after length: Duration, _ call: @escaping @Sendable () -> Void) -> Int {
    let end = SuspendingClock.now.advanced(by: length)
    return change { state in
      state.lastTimer += 1
      let index = state.timers.firstIndex { $0.end <= end } ?? state.timers.endIndex
      state.timers.insert(Timer(number: state.lastTimer, end: end, call: call), at: index)
      return state.lastTimer
    }
  }

  /// Removes a timer unless it was called or is about to be.
  func stop(_ timer: Int) {
    state.withLock { state in
      if let index = state.timers.firstIndex(where: { $0.number == timer }) { state.timers.remove(at: index) }
    }
  }

  /// For the thread: calls the timers that are due, and waits for jobs; nil if the queue was closed and is empty.
  func next() -> [UnownedJob]? {
    while true {
      let (due, jobs, rest, isClosed) = state.withLock { state in
        state.isServed = true
        var due: [Timer] = []
        var rest: Duration?
        if !state.timers.isEmpty {
          let now = SuspendingClock.now
          while let timer = state.timers.last, timer.end <= now { due.append(state.timers.removeLast()) }
          rest = state.timers.last.map { $0.end - now }
        }
        let jobs = state.jobs
        state.jobs.removeAll(keepingCapacity: true)
        state.isWaiting = due.isEmpty && jobs.isEmpty && !state.isClosed
        return (due, jobs, rest, state.isClosed)
      }
      for timer in due { timer.call() }
      if !jobs.isEmpty { return jobs }
      if due.isEmpty {
        if isClosed { return nil }
        bell.wait(atMost: rest)
      }
    }
  }

  @discardableResult
  private func change<Result: Sendable>(_ body: (inout sending State) -> sending Result) -> Result {
    let (result, wasWaiting) = state.withLock { state in
      let result = body(&state)
      defer { state.isWaiting = false }
      return (result, state.isWaiting)
    }
    if wasWaiting { bell.ring() }
    return result
  }
}

// MARK: The main thread

/// Runs the program as a task on the calling thread, its main thread, which also runs every other task.
///
/// The process needs no other thread for tasks, and ends by exit(3). Work that may block for long gets a thread of its own.
public func runOnMainThread(_ program: @escaping @Sendable () async -> Void) -> Never {
  Task(executorPreference: mainThread) {
    await ProgramTasks.$executor.withValue(mainThread) { await program() }
  }
  mainThread.run()
}

/// One for the whole process, like its main thread.
private let mainThread = MainThread()

private final class MainThread: TaskExecutor {
  let queue = JobQueue()

  func enqueue(_ job: consuming ExecutorJob) { queue.add(UnownedJob(job)) }

  func run() -> Never {
    while true {
      for job in queue.next() ?? [] { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
  }
}

/// The clock for waiting in a task; it stops while the machine sleeps.
public struct TaskClock: Clock {
  public init() {}

  public var now: SuspendingClock.Instant { SuspendingClock.now }
  public var minimumResolution: Duration { .zero }

  /// Waits until a moment; throws `CancellationError` if the task is cancelled meanwhile.
  public func sleep(until end: SuspendingClock.Instant, tolerance: Duration?) async throws {
    // Outside the program, as in tests, no thread serves the queue.
    guard mainThread.queue.isServed else { return try await SuspendingClock().sleep(until: end) }
    let wait = OneShot<Result<Void, any Error>>()
    let timer = mainThread.queue.start(after: end - now) { wait.settle(.success(())) }
    defer { mainThread.queue.stop(timer) }
    try await wait.outcome()
  }
}

extension WallClock {
  /// Waits for a duration; throws `CancellationError` if the task is cancelled meanwhile.
  public static func sleep(for length: Duration) async throws { try await TaskClock().sleep(for: length) }
}

// MARK: Threads of actors

/// A thread of its own for an actor whose work blocks; it ends with the executor.
public final class ActorThread: SerialExecutor {
  private let queue = JobQueue()

  /// - Throws: the reason why the system refuses a thread (pthread_create(3)).
  public init() throws(SystemError) {
    try startThread { [queue, weak self] in
      while let jobs = queue.next() {
        // It lives as long as the actor; a job may release the actor.
        guard let executor = self else { return }
        for job in jobs { job.runSynchronously(on: executor.asUnownedSerialExecutor()) }
      }
    }
  }

  deinit { queue.close() }

  /// Runs work on the thread, as before the actor exists.
  public func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      _ = queue.start(after: .zero) { continuation.resume(with: Result(catching: work)) }
    }
  }

  public func enqueue(_ job: consuming ExecutorJob) { queue.add(UnownedJob(job)) }
}
