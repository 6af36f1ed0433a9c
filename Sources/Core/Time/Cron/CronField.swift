// The five fields of a cron expression: their names, their numbers and the names that stand for numbers.

/// A field of a cron expression.
public enum CronField: String, CaseIterable, Hashable, Sendable {
  /// 0 to 59.
  case minute
  /// 0 to 23.
  case hour
  /// 1 to 31.
  case dayOfMonth = "day of month"
  /// 1 to 12, or jan to dec.
  case month
  /// 0 to 7, where 0 and 7 are Sunday, or sun to sat.
  case dayOfWeek = "day of week"

  /// The numbers that may be written in this field.
  var numbers: ClosedRange<Int> {
    switch self {
    case .minute: 0...59
    case .hour: 0...23
    case .dayOfMonth: 1...31
    case .month: 1...12
    case .dayOfWeek: 0...7
    }
  }

  /// How many different values there are; the 7 of the weekdays is the 0 again.
  var count: Int { self == .dayOfWeek ? 7 : numbers.count }

  /// The number of the last value; of the weekdays that is Saturday.
  var lastNumber: Int { numbers.lowerBound + count - 1 }

  /// The names of its values in order, the first one for the first number; most fields have none.
  var names: [String] {
    switch self {
    case .month: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    case .dayOfWeek: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    default: []
    }
  }

  /// The number that a name stands for, capital letters or not.
  func number(named name: String) -> Int? {
    names.firstIndex(of: name.lowercased()).map { $0 + numbers.lowerBound }
  }

  /// The number itself or, if it has run past the end of the field as in `fri-mon`, that from the beginning.
  func wrapped(_ number: Int) -> Int {
    (number - numbers.lowerBound) % count + numbers.lowerBound
  }
}
