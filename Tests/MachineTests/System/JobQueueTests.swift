// Queues of jobs: order of timers, and threads of actors.

import Glibc
import Synchronization
import TestKit
import Testing

@testable import Machine

@Suite final class JobQueueTests: Sendable {
  private let queue = JobQueue()
  private let called = Mutex<[Int]>([])

  /// Serves the queue until it is closed.
  private func serve() { while queue.next() != nil {} }

  @Test func `timers are called in the order of their moments, and a stopped one never`() {
    // So far apart that a busy machine starts all of them before the first moment.
    for (number, milliseconds) in [(1, 1500), (2, 500), (3, 1000), (4, 500)] {
      _ = queue.start(after: .milliseconds(milliseconds)) { [self] in called.withLock { $0.append(number) } }
    }
    let stopped = queue.start(after: .milliseconds(1)) { [self] in called.withLock { $0.append(5) } }
    _ = queue.start(after: .milliseconds(2000)) { [queue] in queue.close() }

    queue.stop(stopped)
    serve()

    #expect(called.withLock { $0 } == [2, 4, 3, 1])
  }

  @Test(arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min / 2)])
  func `a timer of a moment in the past is called at once`(length: Duration) {
    _ = queue.start(after: length) { [queue] in queue.close() }

    serve()

    #expect(queue.isServed)
  }

  @Test func `a timer of a moment beyond all time does not end the wait`() {
    _ = queue.start(after: .seconds(Int64.max / 4)) { [self] in called.withLock { $0.append(1) } }
    _ = queue.start(after: .milliseconds(1)) { [queue] in queue.close() }

    serve()

    #expect(called.withLock { $0.isEmpty })
  }
}

@Suite struct ActorThreadTests {
  private actor Owner {
    nonisolated let thread: ActorThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init() throws { thread = try ActorThread() }

    func identifier() -> pthread_t { pthread_self() }
  }

  @Test func `all work of an actor is on its own thread`() async throws {
    let (owner, other) = (try Owner(), try Owner())

    let opened = try await owner.thread.run { pthread_self() }

    for _ in 1...20 { #expect(await owner.identifier() == opened) }
    #expect(await other.identifier() != opened)
  }

  @Test func `the thread ends with its actor`() async throws {
    var owner: Owner? = try Owner()
    weak let thread = owner?.thread
    _ = await owner?.identifier()

    owner = nil

    // The thread may still hold the executor of its last job.
    #expect(await eventually { thread == nil })
  }
}
