// The state of a run in this process.

import Store
import TestKit

@testable import bgfetch

/// The state of a new configuration, opened for writing, with its files in a directory.
func newState(in home: TemporaryDirectory, configuration: String) async throws -> OpenedState {
  let text = "state: \(home.file("state"))\n" + configuration
  let path = try home.write(text, to: "bgfetch.yaml")
  return try await Invocation(configuration: path, .quiet).openState(for: .writing)
}
