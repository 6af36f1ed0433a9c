// Simulated people, and the random numbers that make them.

public enum PersonKind: String, CaseIterable, Sendable {
  /// Before work, after work, now and then at lunch; later and less on weekends.
  case commuter
  /// At lunch on working days only, some also at another time on weekends.
  case lunch
  /// Several times around midnight, later on weekends.
  case owl = "night owl"
  /// Twice within an hour or two at noon, and in the evening.
  case adjacent = "two in a row"
  /// On Saturdays and Sundays only.
  case weekends = "weekends only"
  /// A commuter who is away for three weeks or more.
  case returning = "away, back"
  /// Early, late and night shifts, a week each.
  case shifts = "shift worker"
  /// A commuter whose times creep, and jump once.
  case drifting
  /// A commuter who changes to night shifts halfway.
  case converted = "day to night"
  /// A habit each day, and as many looks at any time.
  case mixed = "half and half"
  /// Hour for hour through the working day.
  case desk = "at the desk"
  /// All the time while awake.
  case waking = "all day long"
  /// A few times a day, at any time.
  case erratic
  /// Several looks in a row, at any time.
  case bursts = "erratic bursts"
  /// Once in some days, at any time.
  case rare = "erratic, rare"

  /// Whether habits must halve the staleness.
  public var isRegular: Bool { !isErratic && ![.shifts, .mixed, .desk, .waking].contains(self) }

  /// Whether there is no habit, so that habits must only do no harm.
  public var isErratic: Bool { [.erratic, .bursts, .rare].contains(self) }
}

/// A time at which a person tends to look.
struct Tendency {
  /// The minute of the day; from 1440 on it is on the next day.
  var minute: Double
  /// The standard deviation in minutes.
  var deviation: Double
  /// The probability of a look on a day.
  var probability: Double
}

/// One made-up person, with their own times.
struct Person {
  let kind: PersonKind
  private var working: [Tendency] = []
  private var weekend: [Tendency] = []
  /// The habits of another life, and the day on which it begins.
  private var later: (day: Int, working: [Tendency], weekend: [Tendency]) = (.max, [], [])
  /// The looks a day at any time.
  private var anyTime: Double
  /// The probability that a day passes without a look.
  private let idle: Double
  /// How many minutes the times move each day.
  private var creep = 0.0
  /// The day on which the times jump, and the minutes.
  private var jump: (day: Int, minutes: Double) = (.max, 0)
  /// Days away.
  private let holiday: Range<Int>
  /// Whether there are looks on days away, at any time.
  private let looksOnHoliday: Bool
  /// The week of three with which the shifts begin.
  private let turn: Int

  init(_ kind: PersonKind, days: Int, _ chance: inout Chance) {
    self.kind = kind
    idle = chance.number(0...0.1)
    anyTime = chance.number(0...0.3)
    let begin = chance.count(days / 3...days)
    let length = kind == .returning ? chance.count(21...28) : chance.count(5...14)
    holiday = kind == .returning ? days / 2..<(days / 2 + length) : begin..<(begin + length)
    looksOnHoliday = kind != .returning && chance.happens(0.5)
    turn = chance.count(0...2)
    func near(_ minute: Double, _ width: Double, _ probability: ClosedRange<Double>) -> Tendency {
      Tendency(
        minute: minute + chance.number(-width...width), deviation: chance.number(3...12),
        probability: chance.number(probability))
    }
    switch kind {
    case .commuter, .drifting, .converted, .returning:
      working = [near(435, 50, 0.85...1), near(1070, 60, 0.8...1), near(740, 30, 0...0.6)]
      weekend = [near(580, 60, 0.5...0.9), near(1200, 60, 0.3...0.8)]
      if kind == .drifting {
        creep = chance.number(-1...1)
        jump = (chance.count(days / 3...(2 * days / 3)), chance.number(-100...100))
      }
      if kind == .converted {
        later = (
          days / 2, [near(1080, 40, 0.8...1), near(1270, 20, 0.5...0.9), near(1800, 40, 0.8...1)],
          [near(900, 60, 0.5...0.9)]
        )
      }
    case .adjacent:
      let noon = near(720, 40, 0.8...1)
      var next = near(noon.minute + 75, 15, 0.8...1)
      next.deviation = noon.deviation
      working = [noon, next, near(1200, 60, 0.5...0.9)]
      weekend = working
    case .weekends:
      weekend = [near(580, 60, 0.8...1), near(1190, 60, 0.7...1)]
      anyTime = 0
    case .lunch:
      working = [near(735, 45, 0.85...1)]
      if chance.happens(0.5) { weekend = [near(660, 90, 0.4...0.8)] }
    case .owl:
      working = [near(1350, 40, 0.6...0.9), near(1450, 40, 0.6...0.9), near(1540, 40, 0.3...0.8)]
      weekend = working.map {
        Tendency(minute: $0.minute + 45, deviation: $0.deviation, probability: $0.probability)
      }
    case .mixed:
      working = [near(450, 60, 0.9...1), near(1080, 60, 0.8...1)]
      weekend = [near(600, 60, 0.5...0.9)]
      anyTime = chance.number(1.5...2.5)
    case .desk:
      working = (9...17).map { near(Double($0) * 60, 5, 0.6...0.9) }
      anyTime = chance.number(0...1)
    case .waking:
      let rises = chance.number(390...480)
      working = (0..<45).map {
        Tendency(minute: rises + Double($0) * 20, deviation: 8, probability: chance.number(0.5...0.9))
      }
      weekend = working
    case .shifts: anyTime = chance.number(0...0.4)
    case .erratic, .bursts: anyTime = chance.number(1...8)
    case .rare: anyTime = chance.number(0.2...0.8)
    }
    if kind == .shifts {
      working = [near(290, 15, 0.8...1), near(870, 30, 0.8...1)]
      weekend = [near(620, 60, 0.3...0.7)]
    }
  }

  /// The looks of a day, in minutes from its midnight, in order.
  func looks(on day: Int, isWorkingDay: Bool, _ chance: inout Chance) -> [Int] {
    if !kind.isErratic, chance.happens(idle) { return [] }
    var minutes: [Double] = []
    if holiday.contains(day) {
      guard looksOnHoliday else { return [] }
      minutes = (0..<chance.occurrences(1)).map { _ in chance.number(480...1380) }
    } else {
      for tendency in tendencies(on: day, isWorkingDay) where chance.happens(tendency.probability) {
        minutes.append(tendency.minute + moved(on: day) + chance.deviation() * tendency.deviation)
      }
      let others = (0..<chance.occurrences(kind == .bursts ? anyTime / 3 : anyTime)).map { _ in
        chance.number(Self.awake)
      }
      minutes += others
      if kind == .bursts {
        minutes += others.flatMap { [$0 + chance.number(15...25), $0 + chance.number(30...60)] }
      }
    }
    return minutes.map { Int(max(0, $0)) }.sorted()
  }

  /// The minutes in which looks at any time may come.
  private static let awake = 410.0...1420

  private func tendencies(on day: Int, _ isWorkingDay: Bool) -> [Tendency] {
    if day >= later.day { return isWorkingDay ? later.working : later.weekend }
    return isWorkingDay ? working : weekend
  }

  /// How far the times have moved by a day, in minutes.
  private func moved(on day: Int) -> Double {
    guard kind != .shifts else { return [0.0, 420, 990][(day / 7 + turn) % 3] }
    return creep * Double(day) + (day >= jump.day ? jump.minutes : 0)
  }
}

/// Random numbers that are the same in every run (SplitMix64).
public struct Chance: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// The numbers of a seed and a text.
  public init(seed: UInt64, _ words: String = "") {
    // FNV-1a over the words, so that every person of an experiment has numbers of their own.
    state = words.utf8.reduce(0xCBF2_9CE4_8422_2325 ^ seed) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    _ = next()
  }

  /// The next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }

  /// True with this probability.
  mutating func happens(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &self) < probability
  }

  /// A number from a range.
  mutating func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &self) }

  mutating func count(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// A nearly normal number with mean 0 and standard deviation 1: the sum of twelve uniform ones.
  mutating func deviation() -> Double { (0..<12).reduce(-6) { sum, _ in sum + number(0...1) } }

  /// A number of occurrences with this mean (Poisson).
  mutating func occurrences(_ mean: Double) -> Int {
    // Many small chances approximate it without logarithms.
    let parts = max(20, Int(mean * 10))
    return (0..<parts).count { _ in happens(mean / Double(parts)) }
  }
}
