// The loop of the downloads: starts transfers as connections, hosts and budget allow, notices changes by other processes, and
// counts. TransferAttempt does one attempt.

import Core
import Store

/// The downloads of one process; the caller holds the transfer lock.
struct DownloadLoop: EventLoop {
  indirect enum TaskEnd: Sendable {
    /// A file is complete, and its connection is free again.
    case received(TransferAttempt, Response, WebAddress)
    case ended(TransferAttempt, TransferOutcome)
  }

  private let context: TransferContext
  /// The waiting and the running transfers.
  private var queue: TransferQueue
  /// The attempts under way, each of which can be cancelled by itself.
  private var attempts: [Int64: Task<TaskEnd, any Error>] = [:]
  /// The store's version when the queue was last read; nil makes the next check read it.
  private var version: Int?
  private var nextPoll: Int64 = 0
  private var nextLook: Int64 = 0
  private var nextProgress: Int64 = 0

  var machine: MachineEffects { context.machine }

  /// The interval of progress reports in milliseconds.
  private static let progressTime: Int64 = 500
  /// The interval at which to check for changes by other processes.
  private static let pollTime: Int64 = 1000
  /// The interval at which to look whether files may start that wait for a condition.
  private static let lookTime: Int64 = 5000

  init(_ context: TransferContext, _ queue: TransferQueue) {
    self.context = context
    self.queue = queue
  }

  /// Works through the queue until nothing may start now, or the budget ends.
  ///
  /// - Returns: the transfers that still wait, and the totals.
  /// - Throws: errors of the store.
  consuming func run() async throws -> TransferQueue {
    try await runToEnd()
    return queue
  }

  mutating func advance(at now: Int64, in tasks: inout LoopTasks<TaskEnd>) async throws -> Bool {
    repeat {
      try await close(at: now)
      try await readChanges(at: now)
      await look(at: now)
      try await start(in: &tasks)
      // Another process may have changed a transfer so that it can start now.
    } while queue.running.isEmpty && version == nil
    guard !queue.running.isEmpty else { return false }
    reportProgress(at: now)
    return true
  }

  func nextWake(after now: Int64) -> Int64? {
    min(now + Self.progressTime, context.budget.next(after: now) ?? .max)
  }

  /// Each transfer is cancelled separately (`close`): a transfer that cannot resume may end after the budget.
  func isOver(at now: Int64) -> Bool { false }

  /// Starts nothing more from the budget's warning on, and suspends at its end or after a signal.
  private mutating func close(at now: Int64) async throws {
    if context.budget.isOver(at: now) || Task.isCancelled {
      for (number, task) in attempts where Task.isCancelled || !queue.ignoresBudget(number) { task.cancel() }
    }
    let isPaused = context.effects.coordination.isPaused()
    guard context.budget.shouldStop(at: now) || Task.isCancelled || isPaused, !queue.isClosed else { return }
    queue.close()
    guard queue.totals.left > 0, !Task.isCancelled, !isPaused else { return }
    context.effects.report(.notice(.transfersExpired(left: queue.totals.left)))
    let left = JSONValue(["summary": "transfers: \(queue.totals.left) wait for a later run"])
    let origin = context.origin()
    try await context.notifier.record(origin.event(.runExpired, left), of: origin)
    context.notifier.wake()
  }

  /// Reads the queue if another process may have changed it, and cancels the attempts that it took over.
  private mutating func readChanges(at now: Int64) async throws {
    guard now >= nextPoll || version == nil else { return }
    nextPoll = now + Self.pollTime
    let current = try await context.effects.store.dataVersion()
    guard current != version else { return }
    version = current
    nextLook = now
    try await readQueue()
  }

  private mutating func readQueue() async throws {
    for number in queue.update(try await context.store.unsettled()) { attempts[number]?.cancel() }
  }

  /// Asks the commands of conditions, and takes up the files that waited for what holds now.
  private mutating func look(at now: Int64) async {
    guard now >= nextLook, !queue.isClosed else { return }
    nextLook = now + Self.lookTime
    let left = context.notifier.deadline.map { Interval.seconds(max(1, ($0 - now) / 1000)) }
    await machine.ask(queue.commands, left)
    queue.endWaits { [context] transfer, feed in
      TransferAttempt(transfer, of: feed, context).waiting(transfer.partial) == nil
    }
  }

  /// Starts every transfer that may start now, and that no neighbour has begun.
  private mutating func start(in tasks: inout LoopTasks<TaskEnd>) async throws {
    guard queue.hasNext(at: machine.now()) else { return }
    let lock = try await context.queueLock()
    defer { lock?.release() }
    if lock != nil { try await readQueue() }
    while let (transfer, feed) = queue.next(at: machine.now()) {
      let attempt = TransferAttempt(transfer, of: feed, context)
      if let waiting = attempt.waiting(transfer.partial) {
        queue.leave(waiting.number, .postponed(waiting), at: machine.now())
        let isNew = waiting.reason != transfer.reason
        guard isNew || waiting.queued != transfer.queued else { continue }
        if try await context.store.recordWait(waiting), isNew {
          context.report(.transferLeft(attempt.transfer, waiting.status, reason: waiting.reason ?? ""))
        }
        continue
      }
      guard try await context.store.begin(transfer.number, in: attempt.directory) else {
        try await attempt.reportLost()
        handle(.ended(attempt, .lost), in: &tasks)
        continue
      }
      if let rule = try await context.omission(of: transfer, feed) {
        queue.leave(transfer.number, try await attempt.write(.omitted(rule)), at: machine.now())
        continue
      }
      add(attempt, in: &tasks) {
        var attempt = attempt
        return try await attempt.receive()
      }
    }
  }

  /// Adds a step of an attempt to the group, as a task that can be cancelled by itself.
  private mutating func add(
    _ attempt: TransferAttempt, in tasks: inout LoopTasks<TaskEnd>,
    _ step: @escaping @Sendable () async throws -> TaskEnd
  ) {
    let task = Task<TaskEnd, any Error>(executorPreference: ProgramTasks.executor) {
      let end = try await step()
      if case .ended(_, .lost) = end { try await attempt.reportLost() }
      return end
    }
    attempts[attempt.transfer.number] = task
    tasks.addTask {
      try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    }
  }

  mutating func handle(_ end: TaskEnd, in tasks: inout LoopTasks<TaskEnd>) {
    switch end {
    case .received(let attempt, let head, let address):
      queue.recordReceived(attempt.transfer.number)
      add(attempt, in: &tasks) { .ended(attempt, try await attempt.place(head, from: address)) }
    case .ended(let attempt, let outcome):
      let number = attempt.transfer.number
      attempts[number] = nil
      queue.end(number, outcome, at: machine.now())
      if outcome == .lost { version = nil }
    }
  }

  private mutating func reportProgress(at now: Int64) {
    guard now >= nextProgress else { return }
    nextProgress = now + Self.progressTime
    context.report(.transferProgress(context.board.snapshot(at: now)))
  }
}
