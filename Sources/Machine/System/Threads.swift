// Threads for work that blocks, and waiting for them in a task. MainThread.swift has the thread that tasks run on.

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
/// - Parameters:
///   - work: the blocking work.
///   - refused: the outcome if the system refuses a thread.
/// - Returns: the outcome.
func onOwnThread<Outcome: Sendable>(
  _ work: @escaping @Sendable () -> Outcome, refused: @escaping @Sendable (SystemError) -> Outcome
) async -> Outcome {
  await withCheckedContinuation { continuation in
    do throws(SystemError) {
      try spareThreads.run { continuation.resume(returning: work()) }
    } catch {
      continuation.resume(returning: refused(error))
    }
  }
}

/// Runs long or blocking work on a thread of its own; on the caller's thread if the system refuses one.
public func workOnOwnThread(_ work: @escaping @Sendable () -> Void) async {
  let isDone = await onOwnThread {
    work()
    return true
  } refused: { _ in
    false
  }
  if !isDone { work() }
}

/// The next line of standard input without its end, or nil at the end.
public func nextInputLine() async -> String? {
  await onOwnThread {
    readLine()
  } refused: { _ in
    readLine()
  }
}

/// One for the whole process: starting and ending a thread costs more than most of the work done on it.
private let spareThreads = SpareThreads()

/// Threads that wait for more work.
///
/// No work ever waits for a thread: if all are busy, a new one is started.
private final class SpareThreads: Sendable {
  private struct State {
    /// Threads that wait and have no work assigned.
    var free = 0
    var work: [@Sendable () -> Void] = []
  }

  /// The most threads that wait; others end.
  private static let maximumFree = 16

  private let state = Mutex(State())
  private let bell = Bell()

  func run(_ work: @escaping @Sendable () -> Void) throws(SystemError) {
    let isAssigned = state.withLock { state in
      guard state.free > 0 else { return false }
      state.free -= 1
      state.work.append(work)
      return true
    }
    if isAssigned {
      bell.ring()
    } else {
      try startThread { [self] in
        work()
        while let next = next() { next() }
      }
    }
  }

  /// Waits for work; nil if enough other threads wait.
  private func next() -> (@Sendable () -> Void)? {
    let isNeeded = state.withLock { state in
      guard state.free < Self.maximumFree else { return false }
      state.free += 1
      return true
    }
    guard isNeeded else { return nil }
    bell.wait()
    return state.withLock { $0.work.removeFirst() }
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

  /// Ends the wait; true if this is the first value and the task was waiting.
  @discardableResult
  func settle(_ value: Value) -> Bool {
    let waiting: CheckedContinuation<Value, Never>? = stage.withLock { stage in
      if case .settled = stage { return nil }
      defer { stage = .settled(value) }
      guard case .waiting(let continuation) = stage else { return nil }
      return continuation
    }
    waiting?.resume(returning: value)
    return waiting != nil
  }

  /// Whether the task still waits.
  var isAwaited: Bool {
    stage.withLock { stage in
      if case .waiting = stage { true } else { false }
    }
  }

  /// Waits for a value, or throws its error, or `CancellationError` as soon as the task is cancelled.
  func outcome<Success>() async throws -> Success where Value == Result<Success, any Error> {
    try await value(onCancel: { settle(.failure(CancellationError())) }).get()
  }
}
