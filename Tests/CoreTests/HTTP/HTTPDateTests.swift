// HTTP dates in their three forms (RFC 9110 section 5.6.7).

import Core
import Testing

@Suite struct HTTPDateTests {
  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    "Mon, 06 Nov 1994 08:49:37 GMT", "sun, 6 nov 1994 08:49:37 gmt", "Sun, 06 Nov 1994 08:49:37 UTC",
    "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06-Nov-1994 08:49:37 GMT", "Sun Nov 06 08:49:37 1994",
  ])
  func `the three forms of RFC 9110 name the same moment`(text: String) throws {
    #expect(Instant(httpDate: text, now: now) == (try at("1994-11-06T08:49:37Z")))
  }

  @Test(arguments: [
    "", "0", "-1", "never", "06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 GMT",
    "Sun, 06 Nov 1994 08:49:37 EST", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 31 Feb 2026 08:49:37 GMT",
    "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
    "Sun, -6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", "Sun", ", , , , ,",
    "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT GMT", "1994-11-06T08:49:37Z",
  ])
  func `text that is not an HTTP date is nil`(text: String) {
    #expect(Instant(httpDate: text, now: now) == nil)
  }

  @Test(arguments: [("26", "2026"), ("76", "2076"), ("77", "1977"), ("00", "2000")])
  func `a year of two digits is at most 50 years ahead`(short: String, year: String) throws {
    let moment = Instant(httpDate: "Sunday, 06-Nov-\(short) 08:49:37 GMT", now: now)

    #expect(moment == (try at("\(year)-11-06T08:49:37Z")))
  }

  @Test func `a leap second is the second after it`() throws {
    let moment = Instant(httpDate: "Sat, 31 Dec 2016 23:59:60 GMT", now: now)

    #expect(moment == (try at("2017-01-01T00:00:00Z")))
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
