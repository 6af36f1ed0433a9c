// The configuration that machines with one state agree on. A run with another one would fetch other feeds, or at other times, against
// the runs of the others.

public import Core
public import Store

extension Store {
  /// The sections in which a configuration differs from the other machines'; none if there is no agreed one yet.
  public func differences(from own: SharedSections, at now: Instant) throws -> [String] {
    guard let text = try configuration() else { return [] }
    return AgreedConfiguration(text: text).differences(from: own, at: now)
  }

  /// The same; the first configuration of all is the agreed one from now on.
  ///
  /// The caller holds the run lock of all machines.
  public func agree(on own: SharedSections, at now: Instant) throws -> [String] {
    let differences = try differences(from: own, at: now)
    if differences.isEmpty, try configuration() == nil {
      try bind(toConfiguration: AgreedConfiguration(own).text)
    }
    return differences
  }

  /// Makes a configuration the one of all machines.
  ///
  /// - Parameter formerEnd: until when runs may use the former one.
  /// - Returns: the sections that have changed; nil if nothing has changed, or there was none before.
  /// - Throws: `belongsTo` if another machine adopts one at the same time.
  public func adopt(_ own: SharedSections, formerEnd: Instant) throws -> [String]? {
    let former = try configuration()
    let agreed = former.map(AgreedConfiguration.init(text:))
    let sections = agreed?.sections.differences(from: own) ?? []
    guard former == nil || !sections.isEmpty else { return nil }
    let new = agreed?.followed(by: own, formerEnd: formerEnd) ?? AgreedConfiguration(own)
    try bind(toConfiguration: new.text, insteadOf: former)
    return former.map { _ in sections }
  }
}
