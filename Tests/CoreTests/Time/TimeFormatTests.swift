// Times in templates.

import Core
import Glibc
import Testing

@Suite struct TimeFormatTests {
  @Test(arguments: [
    ("%Y-%m-%d", "2026-03-05"), ("%H:%M:%S", "09:07:03"), ("%y %j %e", "26 064  5"),
    ("%b %B %a %A", "Mar March Thu Thursday"), ("%u %w %V %G", "4 4 10 2026"),
    ("%F %T %R", "2026-03-05 09:07:03 09:07"), ("%s", "1772698023"), ("%z", "+0100"), ("%I %p", "09 AM"),
    ("100%%", "100%"), ("", ""), ("día %d", "día 05"), ("%%d", "%d"),
  ])
  func `a directive is replaced by its part of the local time`(format: String, text: String) throws {
    #expect(try TimeFormat(format).text(of: instant("2026-03-05T08:07:03Z"), in: TestZone.berlin) == text)
  }

  @Test(arguments: [
    ("%Q", "%Q", 1), ("day %", "%", 5), ("é%-d", "%-", 2), ("%Y %Z", "%Z", 4), ("%%%", "%", 3),
  ])
  func `an unknown directive is refused with its place`(format: String, directive: String, column: Int) {
    let problem = #expect(throws: TextProblem.self) { try TimeFormat(format) }

    #expect(problem?.what == "has an unknown \(directive)")
    #expect(problem?.column == column)
  }

  @Test(arguments: ["%F %T %j %u %w %y %e %I %p %a %A %b %B %R", "%V %G"])
  func `the C library writes the same`(format: String) throws {
    let ours = try TimeFormat(format)
    var random = SeededNumbers(state: 2)
    for _ in 0..<2000 {
      var seconds = Int.random(in: -2_208_988_800...7_258_118_400, using: &random)
      var fields = tm()
      gmtime_r(&seconds, &fields)
      var buffer = [CChar](repeating: 0, count: 128)
      let count = strftime(&buffer, buffer.count, format, &fields)
      let expected = String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)

      #expect(ours.text(of: Instant(secondsSince1970: Int64(seconds)), in: .utc) == expected)
    }
  }

  @Test func `offsets west of Greenwich and with minutes have their sign and four digits`() throws {
    for (zone, moment, text) in [
      (TestZone.newYork, "2026-01-01T00:00:00Z", "-0500"),
      (TestZone.lordHowe, "2026-07-01T00:00:00Z", "+1030"),
    ] { #expect(try TimeFormat("%z").text(of: instant(moment), in: zone) == text) }
  }
}
