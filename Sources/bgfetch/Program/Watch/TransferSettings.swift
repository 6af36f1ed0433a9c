// What of the configuration transfers under way depend on.

import Core

extension Settings {
  /// The configuration without what only says when feeds are fetched.
  ///
  /// Transfers under way that were begun with the same may go on. What is added to the configuration counts, unless it is
  /// left out here.
  var ofTransfers: Settings {
    var settings = self
    settings.feeds = feeds.map { feed in
      // The transfer of such a feed is its fetch, after which it is decided when the next one is.
      if case .asset = feed.kind { return feed }
      var feed = feed
      feed.minimumInterval = nil
      feed.schedule = []
      feed.hours = .always
      feed.adaptsToHabits = false
      return feed
    }
    return settings
  }
}
