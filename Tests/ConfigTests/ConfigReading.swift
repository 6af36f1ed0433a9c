// The context in which tests read configurations: a home, no variables, three time zones.

import Core
import Testing

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

/// The feeds of a configuration without problems.
func feeds(_ text: String, _ context: ConfigurationContext = surroundings()) throws -> [FeedSpec] {
  let reading = reading(text, context)
  #expect(reading.problems.map(\.text) == [])
  return try #require(reading.settings?.feeds.all)
}

/// The one feed of a configuration with these keys of its own, over these defaults, beside a hook `desktop`.
func feed(
  _ own: String, defaults: String = "{}", _ context: ConfigurationContext = surroundings()
) throws -> FeedSpec {
  let url = "url: \"https://planet.example/\""
  let text =
    "defaults: \(defaults)\nfeeds: {planet: {\(own.isEmpty ? url : url + ", " + own)}}\n"
    + "hooks: {desktop: {events: [notification], run: [\"true\"]}}\n"
  return try #require(feeds(text, context).first)
}

extension FeedSpec {
  /// The feed without the fingerprint of its text.
  var withoutFingerprint: FeedSpec {
    var feed = self
    feed.fingerprint = 0
    return feed
  }
}

// A text in a test is a condition, as it is in the configuration.
extension ItemCondition: ExpressibleByStringLiteral {
  init(stringLiteral pattern: String) { self.init(any: pattern) }
}
