// The configuration that machines with one state agree on, in the form in which a store has it.

public import Core

/// The configuration of all machines that share a state, and the one before it, which may still be used for some time.
public struct AgreedConfiguration: Equatable, Sendable {
  public let sections: SharedSections
  public let former: SharedSections?
  /// When runs with the former configuration end.
  public let formerEnd: Instant?

  /// The first configuration, unless there is a former one.
  public init(_ sections: SharedSections, former: SharedSections? = nil, formerEnd: Instant? = nil) {
    (self.sections, self.former, self.formerEnd) = (sections, former, formerEnd)
  }

  /// The next configuration; the present one may be used for a while.
  public func followed(by sections: SharedSections, formerEnd: Instant) -> AgreedConfiguration {
    AgreedConfiguration(sections, former: self.sections, formerEnd: formerEnd)
  }

  /// The sections for which a run must not begin; none if the configuration is the present or the former one.
  public func differences(from own: SharedSections, at now: Instant) -> [String] {
    if let former, let formerEnd, own == former, now < formerEnd { return [] }
    return sections.differences(from: own)
  }

  /// The form in which a store has it: the present sections, the former ones, and the moment in Unix seconds, each on a line.
  public var text: String {
    ([sections.text] + (former.map { [$0.text] } ?? []) + (formerEnd.map { ["\($0.secondsSince1970)"] } ?? []))
      .joined(separator: "\n")
  }

  /// Any other text has no sections, so that every configuration differs.
  public init(text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    sections = SharedSections(text: lines[0])
    former = lines.count == 3 ? SharedSections(text: lines[1]) : nil
    formerEnd = lines.count == 3 ? Int64(lines[2]).map(Instant.init(secondsSince1970:)) : nil
  }
}

extension SharedSections {
  /// As in `feeds=1f hooks=2e`.
  fileprivate var text: String {
    fingerprints.sorted { $0.key < $1.key }.map { "\($0.key)=\(String($0.value, radix: 16))" }
      .joined(separator: " ")
  }

  fileprivate init(text: Substring) {
    self.init([:])
    for word in text.split(separator: " ") {
      let parts = word.split(separator: "=", maxSplits: 1)
      if parts.count == 2 { fingerprints[String(parts[0])] = UInt64(parts[1], radix: 16) }
    }
  }
}
