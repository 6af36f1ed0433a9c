// The configuration that machines with one state agree on. A run with another one would fetch other feeds, or at other times,
// against the runs of the others.

import Core
import Fleet
import Store

extension OpenedState {
  /// Fails unless this configuration is the agreed one; the first run of all makes it so.
  ///
  /// The caller holds the run lock of all machines.
  func requireAgreement() async throws {
    let differences = try await store.agree(
      on: settings.sharedSections, at: storeTime())
    guard differences.isEmpty else { throw ProgramFailure.otherConfiguration(differences) }
  }

  /// Why no run can use a shared state with this configuration; nil if it can.
  func disagreement() async -> String? {
    guard let now = try? await storeTime(),
      let differences = try? await store.differences(from: settings.sharedSections, at: now)
    else { return nil }
    return differences.isEmpty ? nil : otherConfigurationText(differences)
  }
}

extension Settings {
  /// The text of what all machines that share the state have to agree on; nil if there are no others.
  var agreedText: String? { server.map { _ in AgreedConfiguration(sharedSections).text } }
}

extension ProgramFailure {
  /// `BGFETCH_NOW` is set where machines share the state.
  static let sharedClock = other(
    ["BGFETCH_NOW is set, but the clock of the database counts for all machines; unset it"], .configuration)

  /// Other machines that share the state had the run lock for the whole time limit.
  static let lockedElsewhere = other(
    ["other machines that share this state planned all the time; try again, or with a longer --budget"],
    .tryLater)

  /// These sections of the configuration are not those of the other machines that share the state.
  static func otherConfiguration(_ sections: [String]) -> ProgramFailure {
    other([otherConfigurationText(sections)], .configuration)
  }
}

/// The sections in which the configuration differs from all machines', and the cure.
func otherConfigurationText(_ sections: [String]) -> String {
  "this configuration differs from that of the other machines that share the state, in \(list(sections, "and")); copy "
    + "theirs, or make this one theirs with bgfetch fleet adopt"
}
