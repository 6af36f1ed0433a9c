// Ends a run in this process at one of its effects: a commit of the store, a change of files, a request, a lock or a hook.

import CSQLite
import Core
import Synchronization

@testable import Store
@testable import bgfetch

/// Counts the effects of a run, and ends the run after one of them.
final class EffectStop: Sendable {
  /// How the run ends.
  enum Way: Sendable {
    /// No further effect happens, as if the process had died.
    case death
    /// The run is cancelled, as by a signal, and ends by itself.
    case signal
  }

  /// No further effect happens.
  struct Died: Error {}

  private struct State: Sendable {
    var count = 0
    var cancel: (@Sendable () -> Void)?
  }

  private let way: Way
  private let limit: Int?
  private let state = Mutex(State())

  /// Ends the run after this many effects; nil only counts them.
  init(_ way: Way = .death, after limit: Int? = nil) {
    self.way = way
    self.limit = limit
  }

  /// The number of effects so far.
  var count: Int { state.withLock { $0.count } }

  /// The cancellation in place of a signal.
  func onSignal(_ cancel: @escaping @Sendable () -> Void) {
    state.withLock { $0.cancel = cancel }
  }

  var isDead: Bool {
    guard way == .death, let limit else { return false }
    return count >= limit
  }

  /// Counts an effect that has happened.
  fileprivate func countOne() {
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

  /// The effects of such a run but those of its store; reading is not counted.
  func effects(_ real: Effects) -> Effects {
    var all = real
    all.hooks.updateBadge = { number in try await self.effect { try await real.hooks.updateBadge(number) } }
    all.hooks.run = effect(or: .suspended, real.hooks.run)
    all.tryLock = effect(real.tryLock)
    all.network.fetch = effect(or: .failure(.suspended), real.network.fetch)
    all.network.download = effect(or: .failure(.suspended), real.network.download)
    all.documents = { StoppingDocuments(real: real.documents($0), stop: self) }
    return all
  }

  /// Performs an effect, or throws if the run has ended.
  func effect<Value>(_ body: () async throws -> Value) async throws -> Value {
    if isDead { throw Died() }
    let value = try await body()
    countOne()
    if isDead { throw Died() }
    return value
  }

  /// Performs an effect, or returns a value if the run has ended.
  func effect<Value>(or dead: Value, _ body: () async -> Value) async -> Value {
    if isDead { return dead }
    let value = await body()
    countOne()
    return value
  }
}

extension EffectStop {
  /// Counts the commit of a change; false if the run has ended, and the change is undone.
  fileprivate func mayCommit() -> Bool {
    guard !isDead else { return false }
    countOne()
    return true
  }
}

extension Store {
  /// Lets an EffectStop, which lives as long as this, end the run at each commit of a change.
  func stop(with stop: EffectStop) {
    guard case .sqlite(let connection) = database.engine else { return }
    let ask: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { context in
      guard let context else { return 0 }
      return Unmanaged<EffectStop>.fromOpaque(context).takeUnretainedValue().mayCommit() ? 0 : 1
    }
    _ = sqlite3_commit_hook(connection.handle, ask, Unmanaged.passUnretained(stop).toOpaque())
  }
}

/// A documents directory that stops after a change.
struct StoppingDocuments: Documents {
  let real: any Documents
  let stop: EffectStop

  private static let dead = DocumentsProblem.other(path: "", detail: "dead")

  func prepare(wasUsed: Bool) async -> Result<FileSystemSpace?, DocumentsProblem> {
    await stop.effect(or: .failure(Self.dead)) { await real.prepare(wasUsed: wasUsed) }
  }

  func openPartial(_ transfer: Int64, keeping kept: Int64) async -> Result<any PartialFile, DocumentsProblem>
  {
    await stop.effect(or: .failure(Self.dead)) { await real.openPartial(transfer, keeping: kept) }
  }

  func place(
    _ placements: [Placement], leaving floor: ByteCount
  ) async -> [Result<PlaceOutcome, DocumentsProblem>] {
    await stop.effect(or: placements.map { _ in .failure(Self.dead) }) {
      await real.place(placements, leaving: floor)
    }
  }

  func clear(_ transfer: Int64, _ intent: PlacementIntent) async {
    await stop.effect(or: ()) { await real.clear(transfer, intent) }
  }

  func discard(_ transfer: Int64) async {
    await stop.effect(or: ()) { await real.discard(transfer) }
  }

  func discardOthers(keeping transfers: Set<Int64>) async {
    await stop.effect(or: ()) { await real.discardOthers(keeping: transfers) }
  }

  func remove(_ file: PlacedFile, ofAnySize: Bool) async -> Result<Bool, DocumentsProblem> {
    await stop.effect(or: .failure(Self.dead)) { await real.remove(file, ofAnySize: ofAnySize) }
  }

  var isRemote: Bool { real.isRemote }

  func isPlaced(_ placement: Placement) async -> Result<Bool, DocumentsProblem> {
    await real.isPlaced(placement)
  }

  func areTaken(_ names: [String]) async -> [Result<Bool, DocumentsProblem>] {
    await real.areTaken(names)
  }

  func exists(_ file: PlacedFile, ofAnySize: Bool) async -> Bool {
    await real.exists(file, ofAnySize: ofAnySize)
  }

  func space() async -> Result<FileSystemSpace, DocumentsProblem> {
    await real.space()
  }
}
