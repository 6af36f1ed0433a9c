// Feeds that were renamed in the configuration keep everything that the store has of them.

import Core
import Machine
import Running
import Store

extension OpenedState {
  /// Gives the store the new names of the feeds that were renamed in the configuration, and reports them.
  ///
  /// The caller holds the run lock, so that no run commits a feed by its former name.
  func followRenames(by report: (RunEvent) -> Void) async throws {
    let (renames, hasNew) = try await renames()
    let counts = renames.isEmpty ? [:] : try await store.rename(renames)
    for rename in renames where settings.feedNames.contains(rename.name) {
      report(.notice(.renamed(rename, items: counts[rename.name] ?? 0)))
    }
    guard hasNew else { return }
    // A feed with another name and another address cannot be told from a new one.
    let left = try await store.feedsThatLeft(settings.feedNames)
    guard !left.isEmpty else { return }
    report(.notice(.left(left.map(\.feed), unseen: left.reduce(0) { $0 + $1.unseen })))
    try await store.recordConfigured(settings.feedNames, at: storeTime(), onceADay: false)
  }

  /// The same for a command between two runs; the next run does it if this one cannot.
  ///
  /// With many feeds, or a server, only runs compare the names, and commands that have the run lock.
  func followRenames(_ mode: StoreMode, holding held: FileLock? = nil) async throws {
    guard held != nil || settings.server == nil && !settings.hasManyFeeds,
      !invocation.isServiceStateReadByRoot(settings),
      try await !renames().all.isEmpty, let lock = try? held ?? invocation.acquire(settings.runLock)
    else { return }
    defer { if held == nil { lock.release() } }
    let writer: OpenedState? =
      if mode == .reading { try? await invocation.open(settings, for: .writing) } else { self }
    guard let writer else { return }
    try await writer.followRenames { event in
      if let line = runLine(event, for: .terminal) { console.say(line.text, line.priority) }
    }
    if mode == .reading { await writer.store.close() }
  }

  /// The feeds of files that are stored by another name, and whether some are not stored.
  private func renames() async throws -> (all: [FeedRename], hasNew: Bool) {
    let specs = settings.feeds.ofFiles
    // The whole table is compared only if the configuration has changed.
    guard try await !store.hasAll(specs) else { return ([], false) }
    let feeds = specs.map { FeedTraits($0) }
    let stored = try await store.traits(like: feeds)
    // Feeds of the catalog keep their names.
    let kept = settings.feedNames.known(among: stored.map(\.name)).subtracting(feeds.map(\.name))
    let renames = feedRenames(of: stored.filter { !kept.contains($0.name) }, in: feeds)
    let known = Set(stored.map(\.name)).union(renames.map(\.name))
    return (renames, !feeds.allSatisfy { known.contains($0.name) })
  }
}
