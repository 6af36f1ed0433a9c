// Fleet: several machines that share a state, in a PostgreSQL database.
//
// Everything about other machines is here: the connection to the server with its tables, the claims and holds that keep the machines
// apart, their signs of life, and the copies of what they share. It fills the doors that Store leaves open, `DatabaseConnection` and
// `Neighbours`; only the program imports it, and one machine by itself uses none of it.

public import Core
import Machine
public import Store

extension Store {
  /// Opens the store of a PostgreSQL server, whose tables `prepare` has made.
  ///
  /// - Parameters:
  ///   - directory: the state directory of this machine, for what need not be shared.
  ///   - signs: the thread of the signs of life; nil for the store's, where they wait for its work.
  public static func open(
    _ settings: PostgresSettings, directory: String, on executor: any SerialExecutor,
    signs: (any SerialExecutor)? = nil, clock: any Clock<Duration>
  ) throws -> Store {
    let connection = try PostgresConnection(settings)
    try PostgresSchema.requireUsable(in: Database(connection))
    let membership = Membership(connection, directory, signs: signs ?? executor, clock)
    return try Store(sharedWith: membership, directory, on: executor)
  }

  /// Opens the store of a server on threads of its own, as this machine.
  ///
  /// - Parameter limit: how long to try to connect, for writing.
  public static func connected(
    to settings: PostgresSettings, for mode: StoreMode, within limit: Interval, directory: String
  ) async throws -> Store {
    var settings = settings
    settings.machine = Machine.name
    settings.onlyReads = mode == .reading
    settings.patience = mode == .reading ? .zero : min(limit, .seconds(30))
    let (thread, signs) = (try ActorThread(), try ActorThread())
    return try await thread.run { [settings] in
      try open(settings, directory: directory, on: thread, signs: signs, clock: TaskClock())
    }
  }

  /// The place of this process among the machines; nil for the store of a file.
  var membership: Membership? { neighbours as? Membership }

  /// Takes a lock of the server's, which keeps other machines out until it is released or the store is closed; false if another
  /// one has it.
  ///
  /// In a file there is nothing to do: the locks of the machine are enough.
  public func acquireLock(_ name: String) throws -> Bool {
    guard let membership else { return true }
    keepLocks(membership)
    return try membership.server.acquire(name)
  }

  public func releaseLock(_ name: String) {
    // If this fails the connection is lost, and the lock with it.
    try? membership?.server.release(name)
  }

  /// Keeps the session alive as long as it has locks: the server ends sessions that are silent, and with them their locks.
  private func keepLocks(_ membership: Membership) {
    membership.keepSession { [weak self] in
      // If the server cannot be reached, the next call of the run fails too.
      _ = try? await self?.time()
      return self != nil
    }
  }

  /// Fails if the server takes longer than a second for each of three answers: a run would keep hosts from others, and hardly ask
  /// them.
  public func requireQuickAnswers() throws {
    guard membership != nil else { return }
    for _ in 0..<3 {
      let asked = ContinuousClock.now
      _ = try time()
      if asked.duration(to: .now) <= HoldTime.longestAnswer { return }
    }
    throw StoreFailure.unreachable(path: database.path, detail: HoldTime.slowness)
  }

  /// Lets what this process writes be lost if the server crashes in the moment after it, as far as nobody knows of it.
  ///
  /// A run does, which would do the work again. A command that has ended must not be undone.
  public func riskCommits() throws { try membership?.server.riskCommits() }
}
