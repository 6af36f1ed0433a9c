// The seam between a run and the other runs that work on the same state. On one machine a lock keeps them apart, and most answers
// are constants.

import Synchronization

/// The questions of a run to its neighbours, the other runs that may work on the same state.
///
/// Hosts are claimed, and rows held, in the transactions of the store that begin the work on them.
public struct Coordination: Sendable {
  /// The most due feeds that one round takes, so that neighbours find some too; nil takes all.
  public var roundLimit: RoundLimit?
  /// Whether the state keeps the number of unseen items, so that reading it costs nothing.
  public var keepsBadge = true
  /// Takes the right to fetch; nil if another run has it, which then also takes new pushes.
  public var fetchLock: @Sendable () async throws -> HeldLock?
  /// Takes the lock with which one run at a time plans a round; nil if another run has it.
  public var planLock: @Sendable () async throws -> HeldLock? = { HeldLock {} }
  /// Takes the lock with which one run at a time chooses transfers; it returns nil if another run has it, and is nil if there are no
  /// neighbours.
  public var queueLock: (@Sendable () async throws -> HeldLock?)?
  /// The hosts that neighbours have claimed, so that nobody else fetches from them; nil if there are no neighbours.
  public var claimedHosts: @Sendable () async throws -> Set<String>? = { nil }
  /// Whether neighbours have died that worked on something; it is free when the claims have been read.
  public var haveDied: @Sendable () async throws -> Bool = { false }
  /// Gives claimed hosts back.
  public var release: @Sendable (_ hosts: Set<String>, _ round: Int64) async throws -> Void = { _, _ in }
  /// Reserves a request to a host, at least `delay` after the last one of any run; returns how long to wait for it, in milliseconds,
  /// or nil if there are no neighbours.
  ///
  /// The request may begin up to `lateness` milliseconds after that; the next one waits as much longer.
  public var reserve:
    @Sendable (_ host: String, _ delay: Interval, _ lateness: Int64, _ round: Int64) async throws -> Int64? =
      {
        _, _, _, _ in nil
      }
  /// Returns when neighbours know that this run is alive, so that nobody takes over what it holds.
  public var renewed: @Sendable () async -> Void = {}
  /// Whether all runs are paused, so that nothing begins.
  public var isPaused: @Sendable () -> Bool = { false }

  /// The answers for a run that has the state for itself while it has the right to fetch.
  public init(alone fetchLock: @escaping @Sendable () async throws -> HeldLock?) {
    self.fetchLock = fetchLock
  }

  /// The claims of neighbours, read under the planning lock; if they cannot be read, the lock is released.
  public func claims(holding lock: HeldLock) async throws -> Claims {
    do {
      return Claims(hosts: try await claimedHosts(), lock: lock)
    } catch {
      lock.release()
      throw error
    }
  }
}

/// The hosts that neighbours have claimed, with the lock under which they were read: until it is released, nobody else claims one.
///
/// A plan is made only from claims. So everything else that it reads is younger: a host that is not claimed is free, and its state
/// has its last request.
public struct Claims: Sendable {
  /// Nil if there are no neighbours.
  public let hosts: Set<String>?
  private let lock: HeldLock

  fileprivate init(hosts: Set<String>?, lock: HeldLock) { (self.hosts, self.lock) = (hosts, lock) }

  /// Lets others plan; a second call does nothing.
  public func unlock() { lock.release() }
}

/// A lock, held until it is released or the process ends.
public final class HeldLock: Sendable {
  private let isHeld = Mutex(true)
  private let end: @Sendable () -> Void

  public init(release: @escaping @Sendable () -> Void) { end = release }

  /// Releases it; a second call does nothing.
  public func release() {
    let wasHeld = isHeld.withLock { isHeld in
      defer { isHeld = false }
      return isHeld
    }
    if wasHeld { end() }
  }
}
