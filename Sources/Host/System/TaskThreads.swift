// The threads that Swift's tasks run on, and waiting on them for a length of time. CLinux's tasks.c says why they are
// not libdispatch's.

import CLinux
import Synchronization

/// Makes tasks run on threads that sleep while there is nothing to do; to be called before the first task is started.
///
/// - Throws: the reason for which the system refuses the first thread, as of pthread_create(3): too many processes
///   (`RLIMIT_NPROC`) or too little memory.
public func runTasksOnOwnThreads() throws(SystemError) {
  let code = bgfetch_run_tasks()
  guard code == 0 else { throw SystemError(code: code) }
}

extension WallClock {
  /// Waits for a length of time; `CancellationError` if the task is cancelled meanwhile.
  public static func sleep(for length: Duration) async throws {
    let end = OneShot<Void>()
    // The timer owns a reference until it goes off or is stopped.
    let context = Unmanaged.passRetained(end)
    let timer = bgfetch_start_timer(
      max(0, length.milliseconds),
      { context in
        guard let context else { return }
        Unmanaged<OneShot<Void>>.fromOpaque(context).takeRetainedValue().settle(.success(()))
      }, context.toOpaque())
    guard timer != 0 else {
      context.release()
      return try await Task.sleep(for: length)
    }
    defer { if bgfetch_stop_timer(timer) != 0 { context.release() } }
    try await end.value()
  }
}
