// How stale a feed is when the person looks at it.

import Timing

/// How stale a feed was, on average over the looks of one person, in minutes.
public struct Staleness: Sendable {
  /// How long ago the last fetch was: how far behind the person may be, whatever is published.
  public var sinceFetch: Double
  /// For how long something had been out that was not fetched yet, 0 where nothing was; the mean of all publishers.
  public var behind: Double
}

extension World {
  /// The staleness that fetches lead to.
  ///
  /// Looks before the first fetch do not count: nothing is known of the feed then.
  func staleness(_ fetches: [Instant]) -> Staleness {
    guard let first = fetches.first else { return Staleness(sinceFetch: 0, behind: 0) }
    var next = 0
    var sinceFetch = 0.0
    var behind = 0.0
    var counted = 0.0
    var places: [PublisherKind: Int] = [:]
    for look in looks where look >= first {
      while next < fetches.count, fetches[next] <= look { next += 1 }
      let last = fetches[next - 1]
      counted += 1
      sinceFetch += Double(look.since(last).seconds) / 60
      for (publisher, moments) in publications {
        var place = places[publisher, default: 0]
        while place < moments.count, moments[place] <= last { place += 1 }
        places[publisher] = place
        if place < moments.count { behind += Double(look.since(moments[place]).seconds) / 60 }
      }
    }
    guard counted > 0 else { return Staleness(sinceFetch: 0, behind: 0) }
    return Staleness(
      sinceFetch: sinceFetch / counted, behind: behind / counted / Double(PublisherKind.allCases.count))
  }
}
