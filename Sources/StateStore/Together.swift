// Changes that several callers ask for at the same time, made in one transaction: they wait for the disk once.

import Core

extension Store {
  /// A change that waits for its transaction.
  struct Change: Sendable {
    /// How much of it a power cut may take back.
    let durability: Database.Durability
    /// Makes it, within the transaction; gives whether there was anything to change.
    let make: @Sendable (isolated Store) throws(StoreFailure) -> Bool
    /// Whoever asked for it.
    let reply: CheckedContinuation<Result<Bool, StoreFailure>, Never>
  }

  /// Makes a change in one transaction with all others that were asked for before its turn came.
  ///
  /// All of them are as durable as the one that needs it most. If the transaction fails, each has failed.
  func together(
    _ durability: Database.Durability = .ordinary,
    _ make: @escaping @Sendable (isolated Store) throws(StoreFailure) -> Bool
  ) async throws(StoreFailure) -> Bool {
    let outcome = await withCheckedContinuation { continuation in
      waitingChanges.append(Change(durability: durability, make: make, reply: continuation))
      // Its turn comes after everything that the store was asked until now.
      if waitingChanges.count == 1 { Task { makeChanges() } }
    }
    return try outcome.get()
  }

  private func makeChanges() {
    let changes = waitingChanges
    waitingChanges = []
    let isDurable = changes.contains { $0.durability == .survivesPowerCut }
    do throws(StoreFailure) {
      let outcomes = try database.transaction(isDurable ? .survivesPowerCut : .ordinary) {
        () throws(StoreFailure) -> [Bool] in
        var outcomes: [Bool] = []
        for change in changes { outcomes.append(try change.make(self)) }
        return outcomes
      }
      for (change, outcome) in zip(changes, outcomes) { change.reply.resume(returning: .success(outcome)) }
    } catch {
      for change in changes { change.reply.resume(returning: .failure(error)) }
    }
  }
}
