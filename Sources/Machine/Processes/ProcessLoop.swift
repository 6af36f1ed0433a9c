// The one thread that starts, feeds, watches, ends and reaps every child.

import CLinux
import Glibc
import Synchronization

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
