// The meaning of cron texts, and the problems of wrong ones.

import Testing

@testable import Core

@Suite struct CronTextTests {
  @Test(arguments: [
    ("@hourly", "0 * * * *"), ("@daily", "0 0 * * *"), ("@MIDNIGHT", "0 0 * * *"), ("@weekly", "0 0 * * sun"),
    ("@monthly", "0 0 1 * *"), ("@yearly", "0 0 1 jan *"), ("@annually", "0 0 1 1 *"),
    ("  0\t0   * * *\n", "0 0 * * *"), ("0 0 * * 7", "0 0 * * 0"),
    ("0 0 1 JAN,Feb Mon", "0 0 1 1,2 1"), ("0 0 1 jan-mar mon-fri", "0 0 1 1-3 1-5"),
    ("0 0 * * fri-mon", "0 0 * * 5,6,0,1"), ("0 0 * * sat-sun", "0 0 * * 0,6"),
    ("0 0 * * 5-7", "0 0 * * 0,5,6"), ("0 0 * * 0-7", "0 0 * * 0-6"), ("0 0 * * 7-2", "0 0 * * 0-2"),
    ("0 22-3 * * *", "0 22,23,0,1,2,3 * * *"), ("0 0 * nov-feb *", "0 0 * 11,12,1,2 *"),
    ("0 0 25-5 * *", "0 0 25-31,1-5 * *"), ("50-10/10 * * * *", "0,10,50 * * * *"),
    ("*/15 * * * *", "0,15,30,45 * * * *"), ("5/15 * * * *", "5,20,35,50 * * * *"),
    ("0 0 * * 3/2", "0 0 * * 3,5"), ("0 0 * * fri-mon/2", "0 0 * * 5,0"),
    ("1-30/5 * * * *", "1,6,11,16,21,26 * * * *"), ("*/60 * * * *", "0 * * * *"),
    ("0,0,0 * * * *", "0 * * * *"), ("007 00 * * *", "7 0 * * *"),
    ("5-5 * * * *", "5 * * * *"), ("*,5 * * * *", "* * * * *"),
  ])
  func `two spellings of the same expression are equal`(left: String, right: String) throws {
    let left = try CronExpression(parsing: left)
    let right = try CronExpression(parsing: right)

    #expect(left == right)
  }

  @Test(arguments: [
    // Hours with a star follow elapsed time through clock changes; named hours do not.
    ("0 * * * *", "0 0-23 * * *"),
    // A day field that begins with a star narrows the other one down.
    ("0 0 */1 * mon", "0 0 1-31 * mon"),
  ])
  func `expressions with different meanings are not equal`(left: String, right: String) throws {
    #expect(try CronExpression(parsing: left) != CronExpression(parsing: right))
  }

  @Test func `the text is kept as it was written`() throws {
    #expect(try CronExpression(parsing: " @Daily").text == " @Daily")
  }

  @Test(arguments: wrongTexts)
  func `a wrong text is refused with a column, a message and a cure`(wrong: WrongText) {
    let problem = #expect(throws: TextProblem.self) { try CronExpression(parsing: wrong.text) }

    #expect(problem?.column == wrong.column)
    #expect(problem?.what == wrong.what)
    #expect(problem?.cure == wrong.cure)
  }

  @Test func `any text is either read or refused with a place and a message`() {
    var random = SeededNumbers(state: 4)
    let alphabet = Array("0123456789*/-,?LW# @monjanfri:é")
    for _ in 0..<20_000 {
      let text = String(
        (0..<Int.random(in: 0...24, using: &random)).compactMap { _ in alphabet.randomElement(using: &random)
        })
      do throws(TextProblem) {
        #expect(
          try CronExpression(parsing: text).next(after: instant("2026-01-01T00:00:00Z"), in: .utc) != nil)
      } catch {
        #expect((1...(text.unicodeScalars.count + 1)).contains(error.column), "\(text)")
        #expect(!error.what.isEmpty)
        #expect(!error.cure.isEmpty)
      }
    }
  }
}

/// A text with its message.
struct WrongText: Sendable, CustomTestStringConvertible {
  let text: String
  let column: Int
  let what: String
  let cure: String

  var testDescription: String { "\"\(text)\"" }

  init(_ text: String, _ column: Int, _ what: String, _ cure: String) {
    (self.text, self.column, self.what, self.cure) = (text, column, what, cure)
  }
}

private let fiveFields = "write five fields: minute, hour, day of month, month, day of week"
private let shorthands = "use @hourly, @daily, @weekly, @monthly, @yearly or five fields such as */10 * * * *"
private let anyMinute = "write 30, 0,30, 10-20 or */15, or * for any"
private let anyHour = "write 7, 7,19, 8-18 or */2, or * for any"
private let anyMonthDay = "write 1, 1,15 or 10-20, or * for any"
private let anyMonth = "write jan, jan,jul, 6-8 or */3, or * for any"
private let anyWeekday = "write mon, sat,sun or mon-fri, or * for any"
private let existingDays = "write days that exist"

private let wrongTexts: [WrongText] = [
  // The number of fields.
  WrongText("", 1, "the schedule is empty", fiveFields),
  WrongText("hourly", 7, "there is 1 field of 5", fiveFields),
  WrongText(
    "0 0 12 * * ?", 12, "there are 6 fields; seconds, years and commands are not supported", fiveFields),
  WrongText(
    "*/5 * * * * bgfetch run", 13, "there are 7 fields; seconds, years and commands are not supported",
    fiveFields),

  // Shorthands.
  WrongText("@reboot", 1, "\"@reboot\" is not known", shorthands),
  WrongText(" @fortnightly", 2, "\"@fortnightly\" is not known", shorthands),
  WrongText("@every 5m", 1, "\"@every\" is not known", shorthands),
  WrongText("@daily run", 8, "@daily stands for all five fields, but more follows", "write @daily alone"),

  // Numbers.
  WrongText("60 * * * *", 1, "minute 60 is not from 0 to 59", anyMinute),
  WrongText("0 24 * * *", 3, "hour 24 is not from 0 to 23", anyHour),
  WrongText("0 0 0 * *", 5, "day of month 0 is not from 1 to 31", anyMonthDay),
  WrongText("0 0 1 13 *", 7, "month 13 is not from 1 to 12", anyMonth),
  WrongText(
    "0 0 * * 8", 9, "day of week 8 is not from 0 to 7", anyWeekday),
  WrongText(
    "99999999999999999999 * * * *", 1, "minute 99999999999999999999 is not from 0 to 59",
    anyMinute),
  WrongText("-5 * * * *", 1, "\"-5\" is not a minute", anyMinute),
  WrongText("٣ * * * *", 1, "\"٣\" is not a minute", anyMinute),
  WrongText("* é * * *", 3, "\"é\" is not an hour", anyHour),

  // Lists, ranges and steps.
  WrongText("1,,2 * * * *", 3, "the minute has no value", anyMinute),
  WrongText("5- * * * *", 3, "the minute has no value", anyMinute),
  WrongText("/5 * * * *", 1, "the minute has no value", anyMinute),
  WrongText("1-2-3 * * * *", 1, "\"1-2-3\" is not a minute", anyMinute),
  WrongText("*/ * * * *", 3, "\"\" is not a step from 1 to 60", anyMinute),
  WrongText("*/0 * * * *", 3, "\"0\" is not a step from 1 to 60", anyMinute),
  WrongText("*/-5 * * * *", 3, "\"-5\" is not a step from 1 to 60", anyMinute),
  WrongText("*/90 * * * *", 3, "\"90\" is not a step from 1 to 60", anyMinute),
  WrongText("0 */25 * * *", 5, "\"25\" is not a step from 1 to 24", anyHour),
  WrongText("*5 * * * *", 1, "\"*5\" is not a minute", anyMinute),

  // Names.
  WrongText("0 0 * * monday", 9, "\"monday\" is not a day of week", anyWeekday),
  WrongText("0 0 * january *", 7, "\"january\" is not a month", anyMonth),
  WrongText("0 0 * mon *", 7, "\"mon\" is not a month", anyMonth),
  WrongText("0 0 jan * *", 5, "\"jan\" is not a day of month", anyMonthDay),
  WrongText("0 0 * * weekdays", 9, "\"weekdays\" is not a day of week", anyWeekday),

  // Other programs also know the last day, a numbered weekday, any value.
  WrongText("? * * * *", 1, "\"?\" is not a minute", anyMinute),
  WrongText("0 0 L * *", 5, "\"L\" is not a day of month", anyMonthDay),
  WrongText("0 0 15W * *", 5, "\"15W\" is not a day of month", anyMonthDay),
  WrongText("0 0 * * 5L", 9, "\"5L\" is not a day of week", anyWeekday),
  WrongText("0 0 * * fri#1", 9, "\"fri#1\" is not a day of week", anyWeekday),

  // Days that do not exist.
  WrongText("0 0 30 2 *", 5, "day of month 30 never comes in month 2", existingDays),
  WrongText(
    "  0 0 31 feb,apr,jun,sep,nov *", 7, "day of month 31 never comes in month feb,apr,jun,sep,nov",
    existingDays),
  WrongText(
    "0 0 30 2 */2", 5, "day of month 30 never comes in month 2 on day of week */2", existingDays),
]
