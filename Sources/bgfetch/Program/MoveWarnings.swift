// What `bgfetch check` says of feeds that have moved.

import Model
import StateStore

extension Invocation {
  /// Warns of feeds that are asked at a learned address.
  func moveWarnings(_ settings: Settings) async -> [String] {
    // Whether the state can be read is not what `check` is about; without one nothing is learned.
    guard let store = try? await openStore(settings, for: .reading),
      let states = try? await states(settings, store)
    else { return [] }
    return settings.feeds.compactMap { feed in
      states[feed.name]?.learnedMove.map { "warning: feed " + movedText(feed.name, $0.address) }
    }
  }
}
