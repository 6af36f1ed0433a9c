// The state that the deliveries of one run share: busy hooks, numbers of messages, fetches under way.

import Synchronization

/// How many messages each hook received in one run.
actor MessageCount {
  private var counts: [String: Int] = [:]

  func of(_ hook: String) -> Int { counts[hook, default: 0] }

  func add(_ hook: String) { counts[hook, default: 0] += 1 }
}

/// Whether rounds of a run are being fetched.
final class ActiveFetches: Sendable {
  private let count = Mutex(0)

  var areUnderWay: Bool { count.withLock { $0 > 0 } }

  func begin() { count.withLock { $0 += 1 } }

  func end() { count.withLock { $0 -= 1 } }
}

/// The hooks that have a task right now; no hook has two.
actor BusyHooks {
  /// The busy hooks, and whether each was requested again meanwhile.
  private var busy: [String: Bool] = [:]
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Takes a hook; false if it is busy, and then its task checks it once more.
  func begin(_ hook: String) -> Bool { busy.updateValue(busy[hook] != nil, forKey: hook) == nil }

  /// Releases a hook and returns false, or keeps it and returns true if it was requested meanwhile.
  func mustContinue(_ hook: String) -> Bool {
    guard busy[hook] == true else {
      end(hook)
      return false
    }
    busy[hook] = false
    return true
  }

  /// Releases a hook.
  func end(_ hook: String) {
    busy[hook] = nil
    guard busy.isEmpty else { return }
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  /// Returns when no hook is busy.
  func waitUntilIdle() async {
    guard !busy.isEmpty else { return }
    await withCheckedContinuation { waiting.append($0) }
  }
}
