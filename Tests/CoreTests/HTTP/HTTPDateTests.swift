// HTTP dates in their three forms (RFC 9110 section 5.6.7).

import Core
import Testing

@Suite struct HTTPDateTests {
  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
    ("Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z"),
    ("Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z"),
    ("Mon, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
    ("Sun, 06-Nov-1994 08:49:37 +0000", "1994-11-06T08:49:37Z"),
    ("Sunday, 06-Nov-26 08:49:37 GMT", "2026-11-06T08:49:37Z"),
    ("Sat, 31 Dec 2016 23:59:60 GMT", "2017-01-01T00:00:00Z"),
    ("Sun, 06 Nov 1994 08:49:37 EST", "1994-11-06T13:49:37Z"),
  ])
  func `the three forms of RFC 9110 and others that servers write are moments`(text: String, moment: String)
    throws
  {
    #expect(Instant(httpDate: text) == (try at(moment)))
  }

  @Test(arguments: [
    "", "0", "-1", "never", "2026", "3600", "Sun, 06 Nov 1994 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
    "Sun, 31 Feb 2026 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", ", , , , ,:", "1:2:3", "10:00",
    "Mon, 01 Jan 0001 00:00:00 GMT",
  ])
  func `text without a date and a time is nil`(text: String) {
    #expect(Instant(httpDate: text) == nil)
  }
}

@Suite struct RetryAfterTests {
  @Test(
    arguments: [
      ("3600", 3600), ("1", 1), ("604800", 604_800), ("604801", 604_800),
      ("99999999999999999999999999", 604_800), ("Mon, 02 Nov 2026 11:00:00 GMT", 3600),
      ("Monday, 02-Nov-26 11:00:00 GMT", 3600), ("Fri, 31 Dec 9999 23:59:59 GMT", 604_800),
    ] as [(String, Int64)])
  func `seconds and dates are read, up to 7 days`(value: String, seconds: Int64) {
    #expect(retryAfter(value, at: now) == .seconds(seconds))
  }

  @Test(arguments: [
    "0", "-5", "1.5", "", "soon", "Mon, 02 Nov 2026 09:59:59 GMT", "Mon, 02 Nov 2026 10:00:00 GMT",
  ])
  func `zero, the past and nonsense name no time`(value: String) {
    #expect(retryAfter(value, at: now) == nil)
  }
}
