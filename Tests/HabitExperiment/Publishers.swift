// Simulated publishers, and how long their news waits for the fetch.

public import Core

public enum PublisherKind: String, CaseIterable, Sendable {
  /// One day of the week, at its hour.
  case comic = "weekly comic"
  /// Early on six days of the week, in two parts.
  case paper = "daily paper"
  /// Two to four times a working day, at any time of the office hours.
  case office = "office-hours blog"
  /// On Fridays within an hour, with holidays.
  case podcast = "podcast on Fridays"
  /// Several releases in an afternoon, on one day of the week.
  case releases = "burst of releases"
  /// At any time.
  case random
  /// Daily for two weeks, and never again.
  case silent
  /// A weekly comic that moves to another day and hour.
  case changing
  /// Every other week.
  case fortnight = "every other week"
  /// At any time, several items in a row.
  case bursts = "random bursts"

  /// Whether there is nothing to learn or to gain, so that a rhythm must only do no harm.
  public var isRandom: Bool { [.random, .bursts, .silent].contains(self) }
}

/// A publisher's moments, and the looks of a person.
struct NewsWorld {
  let start: Instant
  let days: Int
  let zone: Zone
  /// The moments before the start that the first document shows.
  let past: [Instant]
  let news: [Instant]
  /// The person's looks; empty if news is to be fetched soon after it comes.
  let looks: [Instant]

  /// The days before the start.
  private static let before = 70

  init(_ kind: PublisherKind, number: Int, seed: UInt64, days: Int, looks person: PersonKind?) {
    let world = World(person ?? .commuter, number: number, seed: seed, days: days)
    var chance = Chance(seed: seed, "\(kind.rawValue) \(number) news")
    let (start, zone) = (world.start, world.zone)
    let first = zone.civil(at: start)
    let usual = chance.number(330...1260)
    let (weekday, moved) = (chance.count(0...6), chance.number(-240...240))
    let holiday = chance.count(0...days)
    let isOften = chance.number(0.1...4)
    var moments: [Instant] = []
    for day in -Self.before..<days {
      func publish(_ minute: Double) {
        let seconds = Int64(max(0, minute) * 60) + Int64(day) * 86_400
        moments.append(zone.firstMoment(of: CivilTime(secondsSince1970: first.secondsSince1970 + seconds)))
      }
      // The first day is a Monday.
      let dayOfWeek = (day + 7 * Self.before) % 7
      let isAway = (holiday..<holiday + 14).contains(day)
      switch kind {
      case .comic where dayOfWeek == weekday && !isAway: publish(usual + chance.deviation() * 5)
      case .paper where dayOfWeek < 6:
        publish(usual + chance.deviation() * 8)
        publish(usual + 5)
      case .office where dayOfWeek < 5 && !isAway:
        for _ in 0..<chance.count(2...4) { publish(chance.number(540...1020)) }
      case .podcast where dayOfWeek == 4 && !isAway && chance.happens(0.95):
        publish(usual + chance.deviation() * 20)
      case .releases where dayOfWeek == weekday && chance.happens(0.8):
        for _ in 0..<chance.count(2...6) { publish(usual + chance.number(0...90)) }
      case .random: for _ in 0..<chance.occurrences(isOften) { publish(chance.number(0...1439)) }
      case .silent where day < 14 - Self.before: publish(usual + chance.deviation() * 5)
      case .changing where day < days / 2 && dayOfWeek == weekday: publish(usual + chance.deviation() * 5)
      case .changing where day >= days / 2 && dayOfWeek == (weekday + 3) % 7:
        publish(usual + moved + chance.deviation() * 5)
      case .fortnight where (day + 14 * Self.before) % 14 == weekday: publish(usual + chance.deviation() * 15)
      case .bursts where chance.happens(0.15):
        let begin = chance.number(0...1200)
        for _ in 0..<chance.count(3...8) { publish(begin + chance.number(0...200)) }
      default: break
      }
    }
    moments.sort()
    (self.start, self.zone, self.days, looks) = (start, zone, days, person == nil ? [] : world.looks)
    past = moments.filter { $0 < world.start }.suffix(10)
    news = moments.filter { $0 >= world.start && $0 < world.end }
  }

  /// A publisher with known moments, the first third of which are past.
  init(_ moments: [Instant]) {
    let begin = moments.count / 3
    past = Array(moments[..<begin].suffix(10))
    news = Array(moments[begin...])
    start = Instant(secondsSince1970: (news.first?.dayNumberOfBench ?? 0) * 86_400)
    days = Int((news.last?.dayNumberOfBench ?? 0) - (news.first?.dayNumberOfBench ?? 0)) + 2
    (zone, looks) = (.utc, [])
  }

  var end: Instant { start + .days(Int64(days)) }

  /// The fetches that bgfetch plans, learning from the items that each of them finds and from the looks before it.
  func fetches(_ setup: Setup, phase: Double, shift: Int64, _ adapt: Adaptation) -> [Instant] {
    guard let name = FeedName("planet") else { return [] }
    var feed = FeedSpec(name: name, url: .plain("https://planet.example/atom.xml"))
    feed.minimumInterval = .every(setup.interval)
    feed.adapt = adapt
    var learned = Learned()
    var habit = Habit()
    var lastLook: OpeningMoment?
    var (found, seen) = (0, 0)
    var state = FeedState()
    state.hasBaseline = true
    state.validators.entityTag = "\"1\""
    var fetches: [Instant] = []
    var now = setup.wake(atOrAfter: start + .seconds(Int64(phase * Double(setup.interval.seconds))), shift)
    learned.news[name] = past.map { ItemTimes(published: $0, firstSeen: now) }
    // It keeps what it has learned until there is more to learn from.
    var context = PlanningContext(now: now, zone: zone, machine: "experiment", learned: learned)
    while now < end {
      fetches.append(now)
      let before = (found, seen)
      while found < news.count, news[found] <= now {
        learned.news[name, default: []].append(ItemTimes(published: news[found], firstSeen: now))
        found += 1
      }
      while seen < looks.count, looks[seen] <= now {
        let look = OpeningMoment(looks[seen], in: zone)
        habit.take(look, after: lastLook)
        lastLook = look
        seen = seen + 1
      }
      if (found, seen) != before {
        if adapt.toHabits { learned.habits[name] = habit }
        // As many as the store returns.
        learned.news[name] = learned.news[name]?.suffix(200)
        context = PlanningContext(now: now, zone: zone, machine: "experiment", learned: learned)
      }
      context.move(to: now)
      state.lastAsked = now
      state.lastCounted = now
      state.lastSuccess = now
      guard let due = dueDecision(feed, state, context).dueAt else { break }
      now = setup.wake(atOrAfter: max(due, now + .seconds(1)), shift)
    }
    return fetches
  }

  /// The fetches of one who knows the moments and fetches at once, whenever the interval allows it.
  func oracle(_ setup: Setup, shift: Int64) -> [Instant] {
    var fetches: [Instant] = []
    for moment in news where fetches.last.map({ $0 < moment }) ?? true {
      let allowed = fetches.last.map { max($0 + setup.interval, moment) } ?? moment
      fetches.append(setup.wake(atOrAfter: allowed, shift))
    }
    return fetches
  }

  func evenFetches(_ count: Int, phase: Double, _ setup: Setup, shift: Int64) -> [Instant] {
    let whole = Double(end.since(start).seconds)
    return (0...count).map { number in
      setup.wake(atOrAfter: start + .seconds(Int64(whole * (Double(number) + phase) / Double(count))), shift)
    }
  }

  /// The minutes from each publication to its fetch, on average; with looks, the age of the news that is not fetched yet at a
  /// look.
  func delay(_ fetches: [Instant]) -> Double {
    var (sum, count, next) = (0.0, 0.0, 0)
    guard looks.isEmpty else {
      var first = 0
      for look in looks where look >= fetches.first ?? end {
        while next < fetches.count, fetches[next] <= look { next += 1 }
        while first < news.count, news[first] <= fetches[next - 1] { first += 1 }
        sum += news[first...].prefix { $0 <= look }.reduce(0) { $0 + Double(look.since($1).seconds) / 60 }
        count += 1
      }
      return count > 0 ? sum / count : 0
    }
    for moment in news {
      while next < fetches.count, fetches[next] < moment { next += 1 }
      guard next < fetches.count else { break }
      sum += Double(fetches[next].since(moment).seconds) / 60
      count += 1
    }
    return count > 0 ? sum / count : 0
  }
}

extension Instant {
  fileprivate var dayNumberOfBench: Int64 { secondsSince1970 / 86_400 }
}

/// The results of a publisher.
public struct NewsTrial: Sendable {
  public var name: String
  public var isRandom: Bool
  /// Requests a day with the rhythm, and without.
  public var requests: Double
  public var plainRequests: Double
  /// The delay in minutes with the rhythm, at a fixed interval with as many requests, without at equal requests, and of the oracle.
  public var delay: Double
  public var even: Double
  public var plain: Double
  public var oracle: Double
  /// Whether a fetch came sooner after another than without the rhythm.
  public var isTooSoon: Bool

  /// The share of the delay that is left: of the fixed interval's, or of that without at equal requests if there is no rhythm.
  public var ratio: Double {
    let fixed = isRandom ? plain : even
    return fixed > 0 ? delay / fixed : 1
  }

  /// Simulates a publisher, and a person who looks at its news if `looks` is not nil.
  public init(
    _ kind: PublisherKind, number: Int, seed: UInt64, days: Int, phases: Int, _ setup: Setup,
    looks: PersonKind? = nil
  ) {
    let world = NewsWorld(kind, number: number, seed: seed, days: days, looks: looks)
    // With looks, the habit alone gains something.
    let isRandom = kind == .silent || kind.isRandom && looks == nil
    self.init(kind.rawValue, isRandom: isRandom, world, phases: phases, setup)
  }

  /// Simulates a publisher with known moments.
  public init(_ name: String, _ moments: [Instant], phases: Int, _ setup: Setup) {
    self.init(name, isRandom: false, NewsWorld(moments), phases: phases, setup)
  }

  private init(_ name: String, isRandom: Bool, _ world: NewsWorld, phases: Int, _ setup: Setup) {
    (self.name, self.isRandom) = (name, isRandom)
    let shift: Int64 = 137
    let luck = (0..<phases).map { (Double($0) + 0.3) / Double(phases) }
    let adapt: Adaptation = world.looks.isEmpty ? .publisher : .both
    let fetches = luck.map { world.fetches(setup, phase: $0, shift: shift, adapt) }
    let plains = luck.map { world.fetches(setup, phase: $0, shift: shift, .none) }
    requests = mean(fetches.map { Double($0.count) }) / Double(world.days)
    plainRequests = mean(plains.map { Double($0.count) }) / Double(world.days)
    delay = mean(fetches.map(world.delay))
    let count = fetches.map(\.count).reduce(0, +) / phases
    even = mean(
      (0..<12).map { world.delay(world.evenFetches(count, phase: Double($0) / 12, setup, shift: shift)) })
    plain = mean(plains.map(world.delay)) * plainRequests / requests
    oracle = world.looks.isEmpty ? world.delay(world.oracle(setup, shift: shift)) : 0
    // Slack lets a timer's run come two minutes before the end of an interval.
    isTooSoon = fetches.contains { fetches in
      zip(fetches, fetches.dropFirst()).contains { $1.since($0) + .minutes(2) < setup.interval }
    }
  }
}

/// The goals that are not reached, in words: half of the delay of a fixed interval for publishers with a rhythm, hardly more for
/// others (2 %), no fetch too soon, no request more.
public func newsMisses(_ trials: [NewsTrial]) -> [String] {
  Dictionary(grouping: trials, by: \.name).sorted { $0.key < $1.key }.flatMap { name, group in
    let ratio = median(group.map(\.ratio))
    let bound = group[0].isRandom ? 1.02 : 0.5
    return [
      ratio > bound ? "\(name) keeps \(decimal(ratio, 2)) of the delay, over \(decimal(bound, 2))" : nil,
      group.contains(where: \.isTooSoon) ? "\(name) is fetched too soon" : nil,
      group.contains { $0.requests > $0.plainRequests + 0.02 } ? "\(name) is fetched more often" : nil,
    ].compactMap(\.self)
  }
}

/// The table of publishers, by name in the order of the trials.
public func newsReport(_ title: String, _ trials: [NewsTrial]) -> String {
  var names: [String] = []
  for trial in trials where !names.contains(trial.name) { names.append(trial.name) }
  var lines = [title, "  publisher            requests a day   minutes to the fetch           of fixed"]
  lines.append("                        plain  rhythm   fixed  rhythm  oracle   median  least   most")
  for name in names {
    let group = trials.filter { $0.name == name }
    let ratios = group.map(\.ratio)
    func column(_ value: Double, _ digits: Int) -> String { left(decimal(value, digits), 8) }
    lines.append(
      "  " + name + String(repeating: " ", count: max(0, 19 - name.count))
        + column(median(group.map(\.plainRequests)), 1) + column(median(group.map(\.requests)), 1)
        + column(median(group.map(\.even)), 0) + column(median(group.map(\.delay)), 0)
        + column(median(group.map(\.oracle)), 0) + column(median(ratios), 2) + column(ratios.min() ?? 1, 2)
        + column(ratios.max() ?? 1, 2))
  }
  return lines.joined(separator: "\n")
}

func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }

func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  guard let middle = sorted.dropFirst(sorted.count / 2).first else { return 1 }
  return sorted.count.isMultiple(of: 2) ? (middle + sorted[sorted.count / 2 - 1]) / 2 : middle
}
