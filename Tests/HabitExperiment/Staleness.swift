// How stale a feed is when the person looks at it.

import Core

/// How stale a feed was, on average over the looks of one person, in minutes.
public struct Staleness: Sendable {
  /// How long ago the last fetch was: how far behind the person may be, whatever is published.
  public var sinceFetch: Double
  /// For how long something had been out that was not fetched yet, 0 where nothing was, by publisher.
  public var behind: [PublisherKind: Double]

  /// The mean of several.
  static func mean(_ all: [Staleness]) -> Staleness {
    let count = Double(all.count)
    var mean = Staleness(sinceFetch: all.reduce(0) { $0 + $1.sinceFetch } / count, behind: [:])
    for publisher in PublisherKind.allCases {
      mean.behind[publisher] = all.reduce(0) { $0 + ($1.behind[publisher] ?? 0) } / count
    }
    return mean
  }

  /// The same where it grows as fetches become fewer.
  func scaled(by factor: Double) -> Staleness {
    Staleness(sinceFetch: sinceFetch * factor, behind: behind.mapValues { $0 * factor })
  }
}

extension World {
  /// The staleness that fetches lead to.
  ///
  /// Looks before the first fetch do not count: nothing is known of the feed then.
  func staleness(_ fetches: [Instant]) -> Staleness {
    guard let first = fetches.first else { return Staleness(sinceFetch: 0, behind: [:]) }
    // For each look the place of the last fetch before it.
    var counted: [(look: Instant, last: Instant)] = []
    var next = 0
    for look in measured where look >= first {
      while next < fetches.count, fetches[next] <= look { next += 1 }
      counted.append((look, fetches[next - 1]))
    }
    guard !counted.isEmpty else { return Staleness(sinceFetch: 0, behind: [:]) }
    func mean(_ minutes: (Instant, Instant) -> Double) -> Double {
      counted.reduce(0) { $0 + minutes($1.look, $1.last) } / Double(counted.count)
    }
    var staleness = Staleness(sinceFetch: mean { Double($0.since($1).seconds) / 60 }, behind: [:])
    for (publisher, moments) in publications {
      var place = 0
      staleness.behind[publisher] = mean { look, last in
        while place < moments.count, moments[place] <= last { place += 1 }
        return place < moments.count ? Double(look.since(moments[place]).seconds) / 60 : 0
      }
    }
    return staleness
  }
}
