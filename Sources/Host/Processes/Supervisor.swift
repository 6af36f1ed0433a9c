// Runs commands for tasks. The thread behind it is ProcessLoop's, the rules of ending are Supervision's.

import Glibc
import Synchronization

/// Runs other programs, many at once if need be, and leaves nothing of them behind.
///
/// Each runs directly, never through a shell, in a process group of its own. No task's thread is blocked
/// meanwhile. The thread behind it is started with the first command, so that a run without any pays nothing.
public final class Supervisor: Sendable {
  private struct State {
    var loop: ProcessLoop?
    var lastID: UInt64 = 0
  }

  private let state = Mutex(State())

  /// A supervisor without children.
  public init() {}

  deinit {
    state.withLock { $0.loop?.stop() }
  }

  /// Runs a command to its end and tells how it ended; every way of ending is a result, not an error.
  ///
  /// At its time limit, and when the task is cancelled, its process group gets `SIGTERM` and, after the grace,
  /// `SIGKILL`; it returns when the group is gone, and in any case within a second of a cancellation. When the program
  /// itself has exited its result counts: what it left running in the background is left alone, and is waited for no
  /// longer than a moment if it holds the output's pipes.
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
        // A cancellation before this line rang for a command that the loop did not know yet.
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

extension CommandResult {
  /// The result of a command that printed nothing because it never ran.
  static func unstarted(_ ending: CommandEnding) -> CommandResult {
    CommandResult(ending: ending, output: [], isOutputCut: false, errorTail: [])
  }
}
