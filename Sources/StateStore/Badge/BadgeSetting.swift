// The badge as a number made of unseen items and the last `badge set`. Counting the items is UnseenTally's
// business.

/// The last `badge set`, or the state before the first one.
struct BadgeSetting: Hashable {
  /// The number that was set.
  var number = 0
  /// The items that were unseen then.
  var unseen = 0
  /// The number of the newest item then.
  var newestItem: Int64 = 0

  /// The badge: what was set less what was seen since, never below zero, and the unseen items that came
  /// after; zero if there is nothing unseen.
  ///
  /// What was seen since is the difference between the items up to `newestItem` that were unseen then and
  /// those that are now, so that an item shown as unseen again because it was updated counts the other way.
  func badge(_ unseen: UnseenCount) -> Int {
    guard unseen.before + unseen.after > 0 else { return 0 }
    return max(0, number - (self.unseen - unseen.before)) + unseen.after
  }
}

/// Unseen items on either side of the last `badge set`.
struct UnseenCount: Hashable {
  /// Those the setting speaks of.
  var before = 0
  /// Those that came after.
  var after = 0

  static func += (left: inout UnseenCount, right: UnseenCount) {
    left.before += right.before
    left.after += right.after
  }

  static func -= (left: inout UnseenCount, right: UnseenCount) {
    left.before -= right.before
    left.after -= right.after
  }
}
