// What can be wrong with a cron text. The words for it are in CronProblemText.swift.

/// Why a text is no cron expression, and where.
public struct CronProblem: Error, Hashable, Sendable {
  /// What is wrong.
  public let cause: Cause
  /// Where it is wrong, in Unicode scalars of the text, counted from 1; one past the end if something is missing there.
  public let column: Int

  /// What is wrong with a cron text.
  public enum Cause: Hashable, Sendable {
    /// There is nothing but blanks.
    case empty
    /// Fewer than five fields; how many.
    case tooFewFields(Int)
    /// More than five fields; how many.
    case tooManyFields(Int)
    /// Something stands after a shorthand such as `@daily`.
    case textAfterShorthand(String)
    /// `@reboot`, which is no time.
    case reboot
    /// Another text that begins with `@`.
    case unknownShorthand(String)
    /// Nothing stands between two commas, before a slash, or at an end of a range.
    case missingValue(CronField)
    /// A text that is no value of the field.
    case notAValue(String, CronField)
    /// A number that the field does not have.
    case outOfRange(String, CronField)
    /// What follows a `/` is no number, 0, or larger than the field.
    case badStep(String, CronField)
    /// `?` outside the day fields, or with a step or in a list.
    case misplacedQuestionMark(CronField)
    /// `L`, `W` or `#` in a field that has no such thing, or in a range or with a step.
    case misplacedSpecial(String, CronField)
    /// The nth weekday of a month with an n other than 1 to 5; the n as written.
    case noSuchWeek(String)
    /// `L-n` with an n other than 0 to 30; the n as written.
    case badDaysBeforeLast(String)
    /// All fields are right, but no such day is in any calendar; the three day fields as written.
    case neverFires(day: String, month: String, weekday: String)
  }
}
