// The feeds of the catalog as a part of the configured feeds: each is read from this machine's copy when it is asked for, and
// gets its settings from its profile.

public import Core

/// The feeds of the catalog.
public final class CatalogFeeds: FeedSource {
  private let copy: CatalogCopy
  private let profiles: FeedProfiles

  public init(_ copy: CatalogCopy, _ profiles: FeedProfiles) {
    (self.copy, self.profiles) = (copy, profiles)
  }

  public var count: Int { copy.count }
  public var namesFingerprint: UInt64 { copy.namesFingerprint }
  public var facts: FeedListFacts { profiles.facts }

  public func place(of name: FeedName) -> Int? { copy.place(of: name) }
  public func names(in places: Range<Int>) -> [FeedName] { copy.feeds(at: Array(places)).map(\.name) }
  public func feeds(in places: Range<Int>) -> [FeedSpec] { feeds(at: Array(places)) }

  public func feeds(at places: [Int]) -> [FeedSpec] {
    let feeds = copy.feeds(at: places)
    guard feeds.count == places.count else {
      copy.discard()
      return []
    }
    return feeds.map(profiles.spec)
  }
}
