// The habits of a person in words, and those of a person and a publisher as a week to draw.

extension Habit {
  /// The number of days with openings before which nothing is predicted.
  static let fewestDays = 3

  /// Whether fetches follow the openings.
  func predicts(at now: Instant) -> Bool { OpeningRates(self, on: now.dayNumber) != nil }

  /// The habit in words, for example `openings on 12 days`.
  func text(at now: Instant) -> String {
    switch days {
    case 0: "no openings yet; a prediction needs \(Self.fewestDays) days with openings"
    case ..<Self.fewestDays: "openings on \(days) of the \(Self.fewestDays) days that a prediction needs"
    default: "openings on \(days) days" + (predicts(at: now) ? "" : ", at no particular time")
    }
  }
}

/// A minute of the day in 24 hours, for example `07:05`.
public func clockText(_ minute: Int) -> String {
  (minute / 60 % 24).padded(to: 2) + ":" + (minute % 60).padded(to: 2)
}

/// A week of looks and publications as they were learned, for a picture.
public struct LearnedWeek: Sendable {
  /// The weight of the looks in each minute of the days, Monday first.
  public var looks: [[Double]]
  /// The density of publications in the parts of these days, the average being 1; none if there is no rhythm.
  public var news: [[Double]]
}

extension PlanningContext {
  /// The learned week of a feed.
  public func learnedWeek(of feed: FeedSpec) -> LearnedWeek {
    let rhythm = rhythm(of: feed.name, every: intervalRule(feed, FeedState()).length ?? .hours(1))
    let week = rhythm?.week(in: zone, at: now)
    let days = (1...7).map { $0 % 7 }
    let looks = DayKind.allCases.map {
      OpeningHistogram(habit(of: feed.name), of: $0, on: now.dayNumber).looks
    }
    return LearnedWeek(
      looks: days.map { looks[$0 == 0 || $0 == 6 ? 1 : 0] },
      news: days.map { day in
        week.map { Array($0[(day * Rhythm.binsOfDay)..<((day + 1) * Rhythm.binsOfDay)]) } ?? []
      })
  }
}
