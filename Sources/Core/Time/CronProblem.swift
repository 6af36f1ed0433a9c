// Problems of cron text, with messages and cures.

/// The reason why a text is not a cron expression.
public struct CronProblem: Error, Hashable, Sendable {
  public let cause: Cause
  /// The place in Unicode scalars of the text, from 1; one past the end if something is missing there.
  public let column: Int

  public enum Cause: Hashable, Sendable {
    case empty
    /// Fewer than five fields, with their number.
    case tooFewFields(Int)
    /// More than five fields, with their number.
    case tooManyFields(Int)
    /// More text after a shorthand such as `@daily`.
    case textAfterShorthand(String)
    case reboot
    case unknownShorthand(String)
    /// Nothing between two commas, before a slash, or at an end of a range.
    case missingValue(CronField)
    case notAValue(String, CronField)
    case outOfRange(String, CronField)
    /// Text after `/` that is not a number from 1 to the size of the field.
    case badStep(String, CronField)
    /// `?` outside the day fields, with a step, or in a list.
    case misplacedQuestionMark(CronField)
    /// `L`, `W` or `#` in a field that does not allow it, in a range, or with a step.
    case misplacedSpecial(String, CronField)
    /// The nth weekday of a month with an n (as written) other than 1 to 5.
    case noSuchWeek(String)
    /// `L-n` with an n (as written) other than 0 to 30.
    case badDaysBeforeLast(String)
    /// Three valid day fields, as written, that no day matches.
    case neverFires(day: String, month: String, weekday: String)
  }
}

extension CronProblem {
  /// The message, such as `minute 60 is not from 0 to 59`.
  public var what: String {
    switch cause {
    case .empty: "the schedule is empty"
    case .tooFewFields(1): "there is 1 field of 5"
    case .tooFewFields(let count): "there are \(count) fields of 5"
    case .tooManyFields(let count):
      "there are \(count) fields; seconds, years and commands are not supported"
    case .textAfterShorthand(let name): "\(name) stands for all five fields, but more follows"
    case .reboot: "@reboot is not a time"
    case .unknownShorthand(let name): "\"\(name)\" is not known"
    case .missingValue(let field): "the \(field.rawValue) has no value"
    case .notAValue(let text, let field): "\"\(text)\" is not \(Self.one(field))"
    case .outOfRange(let text, let field):
      "\(field.rawValue) \(text) is not from \(field.numbers.lowerBound) to \(field.numbers.upperBound)"
    case .badStep("", let field): "the step of the \(field.rawValue) is missing"
    case .badStep(let text, let field): "\"\(text)\" is not a step from 1 to \(field.count)"
    case .misplacedQuestionMark(.dayOfMonth), .misplacedQuestionMark(.dayOfWeek):
      "\"?\" must be alone in its field"
    case .misplacedQuestionMark(let field): "\"?\" is not \(Self.one(field))"
    case .misplacedSpecial(let text, let field): "\"\(text)\" is not allowed in the \(field.rawValue)"
    case .noSuchWeek(let text): "\"\(text)\" is not a week of the month from 1 to 5"
    case .badDaysBeforeLast(let text): "\"\(text)\" is not a number of days from 0 to 30"
    case .neverFires(let day, let month, let weekday):
      "day of month \(day) never comes in month \(month)"
        + (["*", "?"].contains(weekday) ? "" : " on day of week \(weekday)")
    }
  }

  /// The cure, such as `write 0 for the full hour`.
  public var cure: String {
    switch cause {
    case .empty, .tooFewFields, .tooManyFields:
      "write five fields: minute, hour, day of month, month, day of week"
    case .textAfterShorthand(let name): "write \(name) alone"
    case .reboot, .unknownShorthand:
      "use @hourly, @daily, @weekly, @monthly, @yearly or five fields such as */10 * * * *"
    case .missingValue(let field): "write \(Self.examples(of: field)), or * for any"
    case .notAValue(let text, let field): Self.cure(forUnreadable: text, in: field)
    case .outOfRange(let text, let field): Self.cure(forNumber: text, in: field)
    case .badStep(let text, let field): Self.cure(forStep: text, in: field)
    case .misplacedQuestionMark(let field):
      field == .dayOfMonth || field == .dayOfWeek ? "write ?" : "write *"
    case .misplacedSpecial(let text, let field): Self.cure(forSpecial: text, in: field)
    case .noSuchWeek: "write fri#1 to fri#5, or friL for the last one"
    case .badDaysBeforeLast: "write L-3 for three days before the last"
    case .neverFires: "write days that exist, such as L for the last day of the month"
    }
  }

  private static func one(_ field: CronField) -> String {
    field == .hour ? "an hour" : "a \(field.rawValue)"
  }

  private static func examples(of field: CronField) -> String {
    switch field {
    case .minute: "30, 0,30, 10-20 or */15"
    case .hour: "7, 7,19, 8-18 or */2"
    case .dayOfMonth: "1, 1,15, 10-20, L or 15W"
    case .month: "jan, jan,jul, 6-8 or */3"
    case .dayOfWeek: "mon, sat,sun, mon-fri, friL or fri#1"
    }
  }

  private static func cure(forUnreadable text: String, in field: CronField) -> String {
    let pieces = text.split(separator: ":").map(String.init)
    if pieces.count == 2, let hour = Int(pieces[0]), let minute = Int(pieces[1]) {
      return "write the minute and the hour as two fields: \(minute) \(hour) * * *"
    }
    if text.hasPrefix("*"), Int(text.dropFirst()) != nil { return "write */\(text.dropFirst())" }
    if text.hasPrefix("-"), Int(text) != nil { return "write it without the minus sign" }
    if let name = field.names.first(where: { text.lowercased().hasPrefix($0) }) { return "write \(name)" }
    if let other = CronField.allCases.first(where: { $0.number(named: text) != nil }) {
      return
        "\(text) belongs in the \(other.rawValue), field \((CronField.allCases.firstIndex(of: other) ?? 0) + 1)"
    }
    return "write \(examples(of: field)), or * for any"
  }

  private static func cure(forNumber text: String, in field: CronField) -> String {
    switch (field, text) {
    case (.minute, "60"): "write 0 for the full hour"
    case (.hour, "24"): "write 0 for midnight"
    case (.dayOfMonth, _): "write 1 to 31, or L for the last day"
    case (.month, _): "write 1 to 12, or jan to dec"
    case (.dayOfWeek, _): "write 0 to 7, where 0 and 7 are Sunday, or sun to sat"
    default: "write \(field.numbers.lowerBound) to \(field.numbers.upperBound)"
    }
  }

  private static func cure(forStep text: String, in field: CronField) -> String {
    let exampleStep = field == .minute ? 10 : 2
    guard let step = Int(text), step > field.count, field == .minute, step % 60 == 0, step / 60 <= 24 else {
      return "write */\(exampleStep)"
    }
    return "write 0 in the minute and */\(step / 60) in the hour"
  }

  private static func cure(forSpecial text: String, in field: CronField) -> String {
    let letters = text.uppercased()
    switch field {
    case .dayOfWeek where letters == "L": return "write satL for the last Saturday of the month"
    case .dayOfWeek where letters.hasPrefix("L"): return "write \(text.dropFirst())L"
    case .dayOfWeek where letters.hasSuffix("W"): return "write mon-fri for working days"
    case .dayOfMonth where letters == "W": return "write 1W for the first working day, LW for the last"
    case .dayOfMonth where letters.contains("#"): return "write it in the day of week, field 5"
    case .dayOfMonth, .dayOfWeek: return "write it alone or in a list, without a range or a step"
    default: return "L, W and # belong in the day fields, 3 and 5"
    }
  }
}
