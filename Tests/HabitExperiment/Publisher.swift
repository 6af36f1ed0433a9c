// Publishers as the experiment makes them up: when something new is out.

/// A kind of publisher.
public enum PublisherKind: String, CaseIterable, Sendable {
  /// Every half hour by day, less at night.
  case news
  /// On the hour.
  case hourly
  /// Every few minutes, day and night.
  case continuous
  /// At six in the morning.
  case daily = "daily at 6"
  /// Once a week, on the same day at the same time.
  case weekly = "weekly podcast"
  /// Several within an hour, some days apart.
  case bursts

  /// What is published on a day, in minutes from its midnight on and in order.
  func publications(on day: Int, _ chance: inout Chance) -> [Int] {
    switch self {
    case .news:
      (0..<48).compactMap { half in
        chance.happens(half < 12 ? 0.15 : 0.7) ? half * 30 + chance.count(0...29) : nil
      }
    case .hourly: (0..<24).map { $0 * 60 + chance.count(0...5) }
    case .continuous: (0..<288).map { $0 * 5 + chance.count(0...4) }
    case .daily: [360 + chance.count(0...10)]
    case .weekly: day % 7 == 3 ? [17 * 60 + chance.count(0...30)] : []
    case .bursts:
      if chance.happens(0.3) { burst(&chance) } else { [] }
    }
  }

  private func burst(_ chance: inout Chance) -> [Int] {
    let begin = chance.count(420...1300)
    return (0..<chance.count(3...8)).map { _ in begin + chance.count(0...60) }.sorted()
  }
}
