// The unseen items of the configured feeds, kept between commits so that each counts only its own feed.

import Core

/// What was counted, and what it holds for: nobody else's commits since, and the same configuration.
struct UnseenTally {
  /// The `data_version` at which it was counted.
  let dataVersion: Int
  /// The feeds that count.
  let configured: Set<FeedName>
  /// The setting on whose two sides items are counted.
  let setting: BadgeSetting
  private var counts: [FeedName: UnseenCount] = [:]
  private var total = UnseenCount()

  init(dataVersion: Int, configured: Set<FeedName>, setting: BadgeSetting) {
    self.dataVersion = dataVersion
    self.configured = configured
    self.setting = setting
  }

  /// The badge for what was counted.
  var badge: Int { setting.badge(total) }

  /// Whether it still holds.
  func holds(dataVersion: Int, configured: Set<FeedName>) -> Bool {
    // Comparing a set with itself is immediate, and a run uses one set throughout.
    self.dataVersion == dataVersion && self.configured == configured
  }

  /// Puts a feed's count in the place of its earlier one; a feed that is not configured does not count.
  mutating func replace(_ feed: FeedName, with count: UnseenCount) {
    guard configured.contains(feed) else { return }
    total -= counts.updateValue(count, forKey: feed) ?? UnseenCount()
    total += count
  }
}
