// Ends a run in process, at one of its effects.

import Core
import Sync
import Synchronization
import TestKit

/// Counts the effects of a run, and ends the run after one of them.
final class EffectStop: Sendable {
  /// How the run ends.
  enum Way: Sendable {
    /// No effect happens any more, as if the process had died.
    case death
    /// The run is cancelled, as by a signal, and ends by itself.
    case signal
  }

  /// No effect happens any more.
  struct Died: Error {}

  private struct State: Sendable {
    var count = 0
    var cancel: (@Sendable () -> Void)?
  }

  private let way: Way
  private let limit: Int?
  private let state = Mutex(State())

  /// Ends the run after so many effects; nil only counts them.
  init(_ way: Way = .death, after limit: Int? = nil) {
    self.way = way
    self.limit = limit
  }

  /// How many effects there were.
  var count: Int { state.withLock { $0.count } }

  /// What ends the run by a signal.
  func onSignal(_ cancel: @escaping @Sendable () -> Void) {
    state.withLock { $0.cancel = cancel }
  }

  private var isDead: Bool {
    guard way == .death, let limit else { return false }
    return count >= limit
  }

  /// Counts one effect, which has happened.
  private func countOne() {
    let cancel = state.withLock { state in
      state.count += 1
      return way == .signal && state.count == limit ? state.cancel : nil
    }
    cancel?()
  }

  /// Does one effect, unless the run is dead.
  func effect<Value>(_ body: () async throws -> Value) async throws -> Value {
    if isDead { throw Died() }
    let value = try await body()
    countOne()
    if isDead { throw Died() }
    return value
  }

  private func effect<each Argument, Value>(
    _ body: @escaping @Sendable (repeat each Argument) async throws -> Value
  ) -> @Sendable (repeat each Argument) async throws -> Value {
    { (arguments: repeat each Argument) in
      if self.isDead { throw Died() }
      let value = try await body(repeat each arguments)
      self.countOne()
      if self.isDead { throw Died() }
      return value
    }
  }

  private func effect<each Argument, Value>(
    or dead: Value, _ body: @escaping @Sendable (repeat each Argument) async -> Value
  ) -> @Sendable (repeat each Argument) async -> Value where Value: Sendable {
    { (arguments: repeat each Argument) in
      if self.isDead { return dead }
      let value = await body(repeat each arguments)
      self.countOne()
      return value
    }
  }

  /// The effects of a run that is ended so; what only reads is not counted.
  func effects(_ real: Effects) -> Effects {
    var all = real
    all.store = StoppingStore(store: real.store, stop: self)
    all.hooks.updateBadge = { number in try await self.effect { try await real.hooks.updateBadge(number) } }
    all.hooks.run = effect(or: .suspended, real.hooks.run)
    all.tryLock = effect(real.tryLock)
    all.network.fetch = effect(or: .failure(.suspended), real.network.fetch)
    all.transfers = transfers(real.transfers)
    return all
  }

  private func transfers(_ real: TransferEffects) -> TransferEffects {
    var all = real
    all.store.begin = effect(real.store.begin)
    all.store.checkpoint = effect(real.store.checkpoint)
    all.store.leave = effect(real.store.leave)
    all.store.noteRequests = effect(real.store.noteRequests)
    all.store.intend = effect(real.store.intend)
    all.store.settle = effect(real.store.settle)
    all.store.forgetBody = effect(real.store.forgetBody)
    all.store.leaveBody = effect(real.store.leaveBody)
    all.store.takeInterrupted = effect(real.store.takeInterrupted)
    all.store.noteDirectory = effect(real.store.noteDirectory)
    all.store.markRemoved = effect(real.store.markRemoved)
    let dead = DocumentsProblem.other(path: "", detail: "dead")
    all.documents.prepare = effect(or: .failure(dead), real.documents.prepare)
    all.documents.open = effect(or: .failure(dead), real.documents.open)
    all.documents.place = effect(or: .failure(dead), real.documents.place)
    all.documents.clear = effect(or: (), real.documents.clear)
    all.documents.discard = effect(or: (), real.documents.discard)
    all.documents.discardOthers = effect(or: (), real.documents.discardOthers)
    all.documents.remove = effect(or: .failure(dead), real.documents.remove)
    all.download = effect(or: .failure(.suspended), real.download)
    return all
  }
}
