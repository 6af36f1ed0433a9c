// The configuration that machines with one state agree on. A run with another one would fetch other feeds, or at other times,
// against the runs of the others.

import Core
import Fleet
import Machine
import Store

extension Invocation {
  /// Fails unless this configuration is the agreed one; the first run of all makes it so.
  ///
  /// The caller holds the run lock of all machines.
  func requireAgreement(_ settings: Settings, _ store: Store) async throws {
    let differences = try await differences(settings, store)
    guard differences.isEmpty else { throw ProgramFailure.otherConfiguration(differences) }
    if try await store.configuration() == nil {
      try await store.bind(toConfiguration: AgreedConfiguration(settings.sharedSections).text, insteadOf: nil)
    }
  }

  /// Why no run can use a shared state with this configuration; nil if it can.
  func disagreement(_ settings: Settings, _ store: Store) async -> String? {
    let differences = (try? await differences(settings, store)) ?? []
    return differences.isEmpty ? nil : otherConfigurationText(differences)
  }

  /// The sections in which this configuration differs from the other machines'; none if there is no agreed one yet.
  func differences(_ settings: Settings, _ store: Store) async throws -> [String] {
    guard let text = try await store.configuration() else { return [] }
    return AgreedConfiguration(text: text).differences(
      from: settings.sharedSections, at: try await clock(of: store).now())
  }

  /// Makes this the configuration of all machines.
  ///
  /// - Parameters:
  ///   - overlap: how long runs may use the former one.
  ///   - began: when this command began; it gives way to another machine that adopts a configuration meanwhile.
  /// - Returns: the sections that have changed, and when the former configuration ends; nil if nothing has changed.
  func adopt(
    _ settings: Settings, _ store: Store, overlap: Interval, since began: ContinuousClock.Instant
  ) async throws -> (sections: [String], formerEnd: Instant)? {
    let own = settings.sharedSections
    let former = try await store.configuration()
    let agreed = former.map(AgreedConfiguration.init(text:))
    let sections = agreed?.sections.differences(from: own) ?? []
    guard former == nil || !sections.isEmpty else { return nil }
    let end = try await clock(of: store).now() + overlap
    let text = agreed?.followed(by: own, formerEnd: end).text ?? AgreedConfiguration(own).text
    guard
      try await store.adopt(
        text, insteadOf: former, unlessWithin: Int64((ContinuousClock.now - began) / .milliseconds(1)))
    else {
      let now = try await store.configuration().map(AgreedConfiguration.init(text:))
      let others = now?.sections.differences(from: own) ?? []
      if others.isEmpty { return nil }
      throw ProgramFailure.adoptedElsewhere(others)
    }
    return former.map { _ in (sections, end) }
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

  /// Another machine has adopted a configuration at the same time, which differs in these sections.
  static func adoptedElsewhere(_ sections: [String]) -> ProgramFailure {
    other(
      [
        "another machine has just adopted a configuration with other \(list(sections, "and")), and this one is not adopted; "
          + "compare the two, and adopt the right one again"
      ], .tryLater)
  }
}

/// The sections in which the configuration differs from all machines', and the cure.
func otherConfigurationText(_ sections: [String]) -> String {
  "\(list(sections, "and")) of this configuration \(sections.count == 1 ? "is" : "are") not as on the other machines that "
    + "share the state; copy their configuration, or make this one theirs with bgfetch fleet adopt"
}
