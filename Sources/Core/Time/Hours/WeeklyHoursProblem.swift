// What can be wrong with the text of hours of the week: what it is, and what would be right.

/// Why a text is no hours of the week, and where.
public struct WeeklyHoursProblem: Error, Hashable, Sendable {
  /// What is wrong.
  public let cause: Cause
  /// Where, in Unicode scalars of the text, counted from 1; one past the end if something is missing there.
  public let column: Int

  /// What is wrong with the text.
  public enum Cause: Hashable, Sendable {
    /// There is nothing but blanks.
    case empty
    /// Nothing stands between two commas, after a dash, or at an end.
    case missingValue
    /// No comma stands before this word, which does not belong to those before it.
    case missingComma(before: String)
    /// A comma stands between days and their times; the times.
    case commaBeforeTimes(String)
    /// A word that is no day of the week.
    case notADay(String)
    /// A word that is no time of day, and the window it stands in.
    case notATime(String, in: String)
    /// A time later than 24:00; its hour and its minute.
    case noSuchHour(Int, Int)
    /// A minute that no hour has, and its hour.
    case noSuchMinute(hour: Int, Int)
    /// A time alone, without an end.
    case missingEnd(String)
    /// A window that begins at 24:00; its end.
    case beginsAtTheEnd(end: String)
    /// A window that ends when it begins.
    case emptyWindow(String)
  }

  /// The days of the week in English, Sunday first.
  static let days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
}

extension WeeklyHoursProblem {
  /// What is wrong, for example `hour 25 is not from 0 to 24`.
  public var what: String {
    switch cause {
    case .empty: "there is no window"
    case .missingValue: "a day or a time is missing"
    case .missingComma(let word): "there is no comma before \"\(word)\""
    case .commaBeforeTimes: "a comma stands between the days and their times"
    case .notADay(let word): "\"\(word)\" is not a day of the week"
    case .notATime(let word, _): "\"\(word)\" is not a time of day"
    case .noSuchHour(24, let minute): "24:\(minute.padded(to: 2)) is later than 24:00"
    case .noSuchHour(let hour, _): "hour \(hour) is not from 0 to 24"
    case .noSuchMinute(_, let minute): "minute \(minute) is not from 00 to 59"
    case .missingEnd(let time): "\"\(time)\" has no end"
    case .beginsAtTheEnd: "a window cannot begin at 24:00"
    case .emptyWindow(let window): "\(window) is empty"
    }
  }

  /// What would be right, for example `write 00:00-24:00 for the whole day`.
  public var cure: String {
    switch cause {
    case .empty, .missingValue: "write \(Self.example), or always"
    case .missingComma:
      "write commas between days, between times and between windows, as in \(Self.example), sat"
    case .commaBeforeTimes(let times):
      "write a blank, as in mon-fri \(times), or a list for windows that are apart"
    case .notADay(let word): Self.cure(forDay: word.lowercased())
    case .notATime(_, let window): "write \(Self.likely(window) ?? "08:00-18:00, from 00:00 to 24:00")"
    case .noSuchHour(let hour, let minute):
      (25...47).contains(hour)
        ? "write \((hour - 24).padded(to: 2)):\(minute.padded(to: 2)) for the next day"
        : "write 24:00 for midnight"
    case .noSuchMinute(let hour, 60) where hour < 24: "write \((hour + 1).padded(to: 2)):00"
    case .noSuchMinute: "write two digits from 00 to 59"
    case .missingEnd(let time): "write \(Self.likelyTime(time) ?? "08:00")-24:00, or another end"
    case .beginsAtTheEnd(let end): "write 00:00-\(end)"
    case .emptyWindow: "write 00:00-24:00 for the whole day"
    }
  }

  private static let example = "mon-fri 08:00-18:00"

  private static func cure(forDay word: String) -> String {
    switch word {
    case "weekday", "weekdays", "workday", "workdays": return "write mon-fri"
    case "weekend", "weekends": return "write sat,sun"
    case "daily", "everyday", "every", "day", "*": return "leave the days out for every day"
    default: break
    }
    // The one day that shares the longest beginning.
    let shared = days.map { day in zip(day, word).prefix { $0 == $1 }.count }
    let longest = shared.max() ?? 0
    if longest > 0, shared.filter({ $0 == longest }).count == 1, let index = shared.firstIndex(of: longest) {
      return "did you mean \"\(days[index].prefix(3))\"?"
    }
    return "write mon, tue, wed, thu, fri, sat, sun or ranges such as mon-fri"
  }

  /// What `8-18`, `8am-6pm` or `0800-1800` probably means.
  private static func likely(_ window: String) -> String? {
    let ends = window.split(separator: "-").compactMap { likelyTime(String($0)) }
    return ends.count == 2 && ends[0] != ends[1] ? ends.joined(separator: "-") : nil
  }

  /// What `8`, `8pm`, `8.30`, `8h30` or `0830` probably means.
  private static func likelyTime(_ text: String) -> String? {
    let text = text.lowercased()
    let groups = text.split { !$0.isASCII || !$0.isNumber }
    guard let first = groups.first, first.count <= 4, let number = Int(first) else { return nil }
    var (hour, minute) = first.count > 2 ? (number / 100, number % 100) : (number, 0)
    if first.count <= 2, groups.count > 1 { minute = Int(groups[1]) ?? 60 }
    if text.hasSuffix("pm"), hour < 12 { hour += 12 }
    if text.hasSuffix("am"), hour == 12 { hour = 0 }
    guard minute < 60, hour * 60 + minute <= WeeklyHours.minutesOfDay else { return nil }
    return "\(hour.padded(to: 2)):\(minute.padded(to: 2))"
  }
}
