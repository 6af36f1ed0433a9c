// Tests of functions of the module bgfetch, in the folders of its sources, and of runs in this process.
//
// Tests of anything that a user can see from outside belong in ProgramTests, and tests of decisions in those of other modules. A run
// in this process is for effects that no program has: a clock that stands, a server that answers late, a reading that never ends.

import Store
import TestKit

@testable import bgfetch

/// The state of a new configuration, opened for writing, with its files in a directory.
func newState(in home: TemporaryDirectory, configuration: String) async throws -> OpenedState {
  let text = "state: \(home.file("state"))\n" + configuration
  let path = try home.write(text, to: "bgfetch.yaml")
  return try await Invocation(configuration: path, .quiet).openState(for: .writing)
}
