// The stored facts about feeds, as far as the configuration lets them hold.

package import Core
package import Store

extension Store {
  /// The states of feeds, without facts that an edit of the configuration made obsolete.
  package func states(of feeds: [FeedSpec]) throws -> [FeedName: FeedState] {
    guard !feeds.isEmpty else { return [:] }
    var states = try feedStates(of: feeds.map(\.name))
    for feed in feeds {
      // The same configuration makes the same request, except that a path may have a variable in it.
      guard let state = states[feed.name],
        state.configurationFingerprint != feed.fingerprint || feed.isLocal
      else { continue }
      states[feed.name] = stateUnderConfiguration(
        state, configuration: feed.fingerprint, request: feed.requestFingerprint)
    }
    return states
  }

  /// The names and titles of feeds.
  package func labels(of feeds: [FeedSpec]) throws -> [FeedName: FeedLabel] {
    let states = try feedStates(of: feeds.map(\.name))
    return feeds.reduce(into: [:]) { $0[$1.name] = FeedLabel($1, states[$1.name] ?? FeedState()) }
  }

  /// The habits that decide when some of these feeds are due; none if none of them adapts to habits alone.
  ///
  /// The others keep to what the end of their last fetch has planned.
  package func habits(for feeds: [FeedSpec]) throws -> Learned {
    Learned(habits: try habits(of: feeds.filter { $0.adapt == .habits }.map(\.name)))
  }

  /// Everything by which later fetches of feeds are planned.
  package func learned(for feeds: [FeedSpec]) throws -> Learned {
    Learned(
      habits: try habits(of: feeds.filter(\.adapt.toHabits).map(\.name)),
      news: try news(of: feeds.filter(\.adapt.toPublisher).map(\.name)))
  }

  /// The fetches that waiting pushes request, by feed; `feeds` has the feeds of the pushes.
  package func demands(
    of waiting: [StoredPush], for feeds: [FeedSpec], at now: Instant
  ) throws -> [FeedName: PushDemand] {
    guard !waiting.isEmpty else { return [:] }
    let longest = feeds.map(\.push.limit.interval).max() ?? .zero
    return pushDemands(waiting, fetches: try pushFetches(since: now - longest))
  }
}
