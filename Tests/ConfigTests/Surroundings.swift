// The context in which tests read configurations: a home, no variables, three time zones.

import Core

@testable import Config

/// The context of a user at a desk.
func surroundings(_ environment: [String: String] = [:], home: String = "/home/me") -> ConfigurationContext {
  ConfigurationContext(environment: environment, home: home) {
    ["Europe/Berlin", "Asia/Tokyo", "UTC"].contains($0)
  }
}

/// The reading of a configuration, called `bgfetch.yaml` in messages.
func reading(
  _ text: String, _ context: ConfigurationContext = surroundings(), path: String = SystemPlaces.configuration
) -> ConfigurationReading {
  readConfiguration(Array(text.utf8), file: "bgfetch.yaml", path: path, context: context)
}

/// The problems of a configuration as they are printed.
func problems(_ text: String, _ context: ConfigurationContext = surroundings()) -> [String] {
  reading(text, context).problems.map(\.text)
}

extension FeedSpec {
  /// The feed without the fingerprint of its text.
  var withoutFingerprint: FeedSpec {
    var feed = self
    feed.fingerprint = 0
    return feed
  }
}
