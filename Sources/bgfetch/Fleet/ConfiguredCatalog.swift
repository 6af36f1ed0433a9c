// The feeds of the catalog as a part of the configured ones.

import Core
import Machine
import Store

extension Invocation {
  /// The settings with the feeds of the catalog.
  ///
  /// - Parameter settings: the configuration as it was read from files.
  func withCatalog(_ settings: Settings, _ store: Store) async throws -> Settings {
    // Root may look at the state of a service, and leaves nothing there.
    let cache = StandardDirectories(environment: environment, home: home).cache
    let copy =
      isServiceStateReadByRoot(settings)
      ? "\(cache)/bgfetch/catalog-\(store.mark).db" : settings.state + "/catalog.db"
    if settings.server != nil {
      try makePrivateDirectory(around: copy)
      try FileSafety.require(copy)
    }
    guard let catalog = try await store.catalog(copy: copy, at: clock.now()) else { return settings }
    var settings = settings
    settings.feeds = settings.feeds.joined(with: catalog, settings.catalog)
    return settings
  }
}
