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
    all.network.download = effect(or: .failure(.suspended), real.network.download)
    all.documents = StoppingDocuments(real: real.documents, stop: self)
    return all
  }

  /// Does one effect, or throws if no effect happens any more.
  func effect<Value>(_ body: () async throws -> Value) async throws -> Value {
    if isDead { throw Died() }
    let value = try await body()
    countOne()
    if isDead { throw Died() }
    return value
  }

  /// Does one effect, or returns a value if no effect happens any more.
  func effect<Value>(or dead: Value, _ body: () async -> Value) async -> Value {
    if isDead { return dead }
    let value = await body()
    countOne()
    return value
  }
}
