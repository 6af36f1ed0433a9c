// What the configurations of machines that share a state must have in common, and what they have agreed on; profiles of feeds.

/// The fingerprints of the sections of a configuration that decide what is fetched and told, by key.
///
/// Comments, the order of keys, and what may differ between machines do not count.
public struct SharedSections: Hashable, Sendable {
  public var fingerprints: [String: UInt64]

  public init(_ fingerprints: [String: UInt64]) { self.fingerprints = fingerprints }

  /// The sections in which another configuration differs, in the order of the alphabet.
  public func differences(from other: SharedSections) -> [String] {
    Set(fingerprints.keys).union(other.fingerprints.keys).sorted()
      .filter { fingerprints[$0] != other.fingerprints[$0] }
  }

  /// As in `feeds=1f hooks=2e`.
  fileprivate var text: String {
    fingerprints.sorted { $0.key < $1.key }.map { "\($0.key)=\(String($0.value, radix: 16))" }
      .joined(separator: " ")
  }

  fileprivate init(text: Substring) {
    fingerprints = [:]
    for word in text.split(separator: " ") {
      let parts = word.split(separator: "=", maxSplits: 1)
      if parts.count == 2 { fingerprints[String(parts[0])] = UInt64(parts[1], radix: 16) }
    }
  }
}

/// The configuration of all machines that share a state, and the one before it, which may still be used for some time.
public struct AgreedConfiguration: Hashable, Sendable {
  public let sections: SharedSections
  public let former: SharedSections?
  /// When runs with the former configuration end.
  public let formerEnd: Instant?

  /// The first configuration.
  public init(_ sections: SharedSections) {
    self.sections = sections
    (former, formerEnd) = (nil, nil)
  }

  /// The next configuration; the present one may be used for a while.
  public func followed(by sections: SharedSections, formerEnd: Instant) -> AgreedConfiguration {
    AgreedConfiguration(sections: sections, former: self.sections, formerEnd: formerEnd)
  }

  private init(sections: SharedSections, former: SharedSections?, formerEnd: Instant?) {
    (self.sections, self.former, self.formerEnd) = (sections, former, formerEnd)
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

/// The profiles of a configuration, as feeds without an address.
public struct FeedProfiles: Hashable, Sendable {
  /// A feed with the defaults alone; nil if these hold a secret, which is not for any address that somebody adds.
  public var standard: FeedSpec?
  public var named: [String: FeedSpec] = [:]
  /// The network settings of a feed without any of these.
  public var network = SharedNetwork.standard

  public init() {}

  /// A feed of the catalog with the settings of its profile.
  ///
  /// If the configuration has no such profile, the feed is fetched only when it is named.
  public func spec(_ feed: CatalogFeed) -> FeedSpec {
    let url = SecretText.plain(feed.address.text)
    guard var spec = feed.profile.map({ named[$0] }) ?? standard else {
      var unknown = FeedSpec(name: feed.name, url: url)
      unknown.sharedNetwork = network
      unknown.minimumInterval = .never
      unknown.tags = feed.tags
      return unknown
    }
    (spec.name, spec.url) = (feed.name, url)
    spec.tags += feed.tags.filter { !spec.tags.contains($0) }
    return spec
  }

  /// The facts about all of them.
  public var facts: FeedListFacts {
    var facts = FeedListFacts()
    for spec in named.values { facts.add(spec) }
    if let standard { facts.add(standard) }
    return facts
  }
}
