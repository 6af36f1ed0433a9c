// Work that blocks in the system, waited for without a thread of Swift's pool.

import Glibc
import Synchronization

/// Does work on a thread of its own and gives what came of it.
///
/// The work is done to its end even if the task is cancelled meanwhile: what it changes must be known. A thread that has
/// done its work waits for more; none waits for another's work to end.
/// - Parameters:
///   - work: what blocks.
///   - refused: what comes of it where the system has no thread to give.
/// - Returns: what came of it.
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

/// Does work that keeps a processor busy for long on a thread of its own, or on this one where there is none to give.
public func workOnOwnThread(_ work: @escaping @Sendable () -> Void) async {
  let isDone = await onOwnThread {
    work()
    return true
  } refused: { _ in
    false
  }
  if !isDone { work() }
}

/// One for the process, as what they save is making and ending threads, which costs more than most of their work.
private let spareThreads = SpareThreads()

/// Threads that have done their work and wait for more.
private final class SpareThreads: Sendable {
  private struct State {
    /// How many threads wait, but for those that the work here is for.
    var waiting = 0
    var work: [@Sendable () -> Void] = []
  }

  /// More that do nothing are let go.
  private static let most = 16

  private let state = Mutex(State())
  private let bell = Semaphore()

  /// Has work done by a thread that waits, or else by a new one.
  func run(_ work: @escaping @Sendable () -> Void) throws(SystemError) {
    let isTaken = state.withLock { state in
      guard state.waiting > 0 else { return false }
      state.waiting -= 1
      state.work.append(work)
      return true
    }
    if isTaken {
      bell.signal()
    } else {
      try startThread { [self] in
        work()
        while let next = next() { next() }
      }
    }
  }

  /// Waits for work; nil where enough others do.
  private func next() -> (@Sendable () -> Void)? {
    let isWanted = state.withLock { state in
      guard state.waiting < Self.most else { return false }
      state.waiting += 1
      return true
    }
    guard isWanted else { return nil }
    bell.wait()
    return state.withLock { $0.work.removeFirst() }
  }
}

/// A semaphore of the C library, which is used by its address; it is its threads' for as long as the process lives.
private final class Semaphore: @unchecked Sendable {
  private let semaphore: UnsafeMutablePointer<sem_t>

  init() {
    semaphore = .allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Lets one who waits go on, now or later.
  func signal() { sem_post(semaphore) }

  /// Waits for a signal.
  func wait() { while sem_wait(semaphore) != 0 {} }
}
