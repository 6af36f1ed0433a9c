// How much the looks of one kind of days count at each minute by now. How likely the next ones are is LookRates'
// business.

/// The looks of one kind of days by minute of the day, each with what it still counts.
struct LookHistogram {
  /// Minutes of a day.
  static let minutesOfDay = 24 * 60
  /// Looks up to so many minutes apart speak for the same habit.
  static let reach = 20

  /// What the looks of each minute count.
  private(set) var looks = [Double](repeating: 0, count: minutesOfDay)
  /// The minutes with looks, as the habit has them.
  private(set) var minutes: [Int] = []
  /// The day of each minute's last look, counted by UTC: near enough to tell days apart.
  private(set) var lastDays = [Int64](repeating: 0, count: minutesOfDay)
  /// What all of them count.
  private(set) var total = 0.0

  /// The looks of one kind of days; what no histogram can hold is passed over.
  ///
  /// - Parameters:
  ///   - habit: the openings.
  ///   - kind: the kind of days.
  ///   - today: the day up to which they decay.
  ///   - share: by what a look of so many days ago is weighed besides.
  init(_ habit: Habit, of kind: DayKind, on today: Int64, weighed share: (Int64) -> Double = { _ in 1 }) {
    for bin in habit.bins where bin.kind == kind && looks.indices.contains(bin.minute) {
      let age = max(0, today - bin.at.dayNumber)
      let weight = Habit.decayed(bin.weight, days: age) * share(age)
      // What is as good as forgotten only costs time.
      guard weight > 0.01, weight.isFinite else { continue }
      if looks[bin.minute] == 0 { minutes.append(bin.minute) }
      looks[bin.minute] += weight
      lastDays[bin.minute] = bin.at.dayNumber
      total += weight
    }
  }

  /// What the looks around each minute count together, up to `reach` before and after it, across midnight.
  var gathered: [Double] {
    let day = Self.minutesOfDay
    var gathered = [Double](repeating: 0, count: day)
    var sum = (-Self.reach...Self.reach).reduce(0) { $0 + looks[($1 + day) % day] }
    for minute in 0..<day {
      // Sums and differences of fractions leave a trace where nothing is left.
      gathered[minute] = sum < 1e-9 ? 0 : sum
      let (next, last) = (minute + Self.reach + 1, minute - Self.reach)
      sum += looks[next < day ? next : next - day] - looks[last < 0 ? last + day : last]
    }
    return gathered
  }
}
