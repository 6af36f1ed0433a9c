// What tests read configurations against: a home, no variables, three time zones.

import Config
import Core

/// The surroundings of a user at a desk.
func surroundings(_ environment: [String: String] = [:], home: String = "/home/me") -> ConfigurationContext {
  ConfigurationContext(environment: environment, home: home) {
    ["Europe/Berlin", "Asia/Tokyo", "UTC"].contains($0)
  }
}

/// The reading of a configuration in `/etc/bgfetch/bgfetch.yaml`, spoken of as `bgfetch.yaml`.
func reading(_ text: String, _ context: ConfigurationContext = surroundings()) -> ConfigurationReading {
  readConfiguration(
    Array(text.utf8), file: "bgfetch.yaml", path: "/etc/bgfetch/bgfetch.yaml", context: context)
}

/// The problems of a configuration as they are printed.
func problems(_ text: String, _ context: ConfigurationContext = surroundings()) -> [String] {
  reading(text, context).problems.map(\.text)
}
