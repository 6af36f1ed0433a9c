// Calls to a documents directory that go there together.

import Core
import Synchronization

/// Collects the calls that tasks make at about the same time, and makes one call for all of them.
///
/// Files are placed in groups. Each group then visits its directory once, and synchronises it once.
final class JoinedCalls<Input: Sendable, Output: Sendable>: Sendable {
  private let waiting = Mutex<[(input: Input, reply: CheckedContinuation<Output, Never>)]>([])
  private let work: @Sendable ([Input]) async -> [Output]

  /// - Parameter work: makes the call, and returns an output for each input.
  init(_ work: @escaping @Sendable ([Input]) async -> [Output]) { self.work = work }

  func callAsFunction(_ input: Input) async -> Output {
    await withCheckedContinuation { reply in
      let isFirst = waiting.withLock { calls in
        calls.append((input, reply))
        return calls.count == 1
      }
      // The new task runs after all tasks that are ready now, which may make calls too.
      if isFirst { Task(executorPreference: ProgramTasks.executor) { await self.callForAll() } }
    }
  }

  private func callForAll() async {
    let calls = waiting.withLock { calls in
      defer { calls = [] }
      return calls
    }
    for (call, output) in zip(calls, await work(calls.map(\.input))) { call.reply.resume(returning: output) }
  }
}

/// The joined calls to one documents directory.
struct DirectoryCalls: Sendable {
  /// Whether anything has a name, in any letter case.
  let isTaken: JoinedCalls<String, Result<Bool, DocumentsProblem>>
  /// Gives a partial file its final name.
  let place: JoinedCalls<Placement, Result<PlaceOutcome, DocumentsProblem>>

  init(_ documents: any Documents, freeSpace: ByteCount) {
    isTaken = JoinedCalls { await documents.areTaken($0) }
    place = JoinedCalls { await documents.place($0, leaving: freeSpace) }
  }
}
