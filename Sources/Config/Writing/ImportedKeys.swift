// The keys that an import writes, read as the configuration will read them.

public import Core

/// Checks keys of imported feeds, so that one bad value does not stop the import.
public struct ImportedKeys {
  /// The mistake in each text so far, because many feeds of a list have the same keys; empty for none.
  private var known: [String: String] = [:]

  public init() {}

  /// The entries without keys that a configuration cannot have, and a remark on each.
  public mutating func checked(_ entries: [SubscriptionEntry]) -> [SubscriptionEntry] {
    entries.flatMap { entry -> [SubscriptionEntry] in
      guard case .feed(var subscription, let line) = entry else { return [entry] }
      let removed = removeMistakes(in: &subscription)
      let feed = SubscriptionEntry.feed(subscription, line: line)
      return removed.isEmpty ? [feed] : [feed, .remark(SubscriptionRemark(line: line, .without(removed)))]
    }
  }

  /// Removes the keys of a feed that a configuration cannot have; returns them with the reasons.
  private mutating func removeMistakes(in subscription: inout Subscription) -> [(
    name: String, reason: String
  )] {
    var removed: [(name: String, reason: String)] = []
    // podget's reader writes only names that are templates.
    for (key, value) in subscription.keys.sorted(by: { $0.key < $1.key }) where key != "download.name" {
      var trial = Subscription(url: subscription.url.isEmpty ? "" : "https://feed.example/")
      trial.command = subscription.command
      trial.watched = subscription.watched.map { _ in "" }
      trial.keys = [key: value]
      let mistake = mistake(in: trial)
      guard !mistake.isEmpty else { continue }
      subscription.keys[key] = nil
      removed.append((key, mistake))
    }
    return removed
  }

  private mutating func mistake(in subscription: Subscription) -> String {
    let feed = FeedName("feed").map { NamedSubscription(name: $0, subscription: subscription) }
    let text = feedsText(feed.map { [$0] } ?? [])
    if let known = known[text] { return known }
    let context = ConfigurationContext(environment: [:], home: "/", isZone: { _ in true })
    let reading = readConfiguration(Array(text.utf8), file: "", path: "/", context: context)
    let mistake = reading.problems.first { !$0.isWarning }?.what ?? ""
    known[text] = mistake
    return mistake
  }
}
