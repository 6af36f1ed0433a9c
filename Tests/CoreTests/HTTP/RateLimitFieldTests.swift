// The fields that say when a rate limit ends, beside a 429 and a 403.

import Core
import Testing

@Suite struct RateLimitFieldTests {
  /// The present moment of these tests, in seconds since 1970.
  private static let seconds = now.secondsSince1970

  private func wait(_ status: Int, _ fields: [(String, String)]) -> Interval? {
    retryAfter(of: reply(status, fields), receivedAt: now)
  }

  @Test(
    arguments: [
      ("a moment", [("X-RateLimit-Reset", "\(Self.seconds + 600)")], .minutes(10)),
      ("a number of seconds", [("X-RateLimit-Reset", "600")], .minutes(10)),
      ("another spelling", [("x-rate-limit-reset", "\(Self.seconds + 600)")], .minutes(10)),
      ("a date", [("X-RateLimit-Reset", "Mon, 02 Nov 2026 10:10:00 GMT")], .minutes(10)),
      ("the draft's field", [("RateLimit-Reset", "600")], .minutes(10)),
      ("beside a useless Retry-After", [("Retry-After", "soon"), ("RateLimit-Reset", "600")], .minutes(10)),
      ("Retry-After counts first", [("Retry-After", "60"), ("RateLimit-Reset", "600")], .minutes(1)),
      ("seven days at most", [("X-RateLimit-Reset", "\(Self.seconds + 1_000_000)")], .days(7)),
      ("the year 9999", [("X-RateLimit-Reset", "253402300799")], .days(7)),
      ("a number beyond all", [("X-RateLimit-Reset", "99999999999999999999")], nil),
      ("milliseconds", [("X-RateLimit-Reset", "\(Self.seconds + 600)000")], nil),
      ("a past moment", [("X-RateLimit-Reset", "\(Self.seconds - 600)")], nil),
      ("now", [("X-RateLimit-Reset", "0")], nil), ("a negative number", [("RateLimit-Reset", "-5")], nil),
      ("no number", [("X-RateLimit-Reset", "tomorrow")], nil), ("nothing", [("RateLimit-Reset", "")], nil),
      ("no field", [], nil),
    ] as [(String, [(String, String)], Interval?)])
  func `a 429 waits for the end of the rate limit`(what: String, fields: [(String, String)], wait: Interval?)
  {
    #expect(self.wait(429, fields) == wait, "\(what)")
    // The same fields accompany every response of some servers.
    if !fields.contains(where: { $0.0 == "Retry-After" }) {
      for status in [200, 304, 404, 500, 503] { #expect(self.wait(status, fields) == nil, "\(what)") }
    }
  }

  @Test func `a moment is compared with the server's own clock`() {
    let fields = [
      ("X-RateLimit-Reset", "\(Self.seconds + 86_400)"), ("Date", "Tue, 03 Nov 2026 09:59:00 GMT"),
    ]

    #expect(wait(429, fields) == .minutes(1))
  }

  @Test(
    arguments: [
      ("the draft: nothing is left", [("RateLimit-Remaining", "0"), ("RateLimit-Reset", "600")], true, true),
      (
        "one of two limits is reached",
        [("X-RateLimit-Remaining", "5"), ("RateLimit-Remaining", "0"), ("RateLimit-Reset", "600")], true, true
      ),
      ("nothing is left", [("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "600")], true, true),
      ("nothing is left until the past", [("X-RateLimit-Remaining", "0")], true, false),
      ("nothing is said about what is left", [("X-RateLimit-Reset", "600")], true, true),
      ("something is left", [("X-RateLimit-Remaining", "57"), ("X-RateLimit-Reset", "600")], false, false),
      ("an ordinary refusal", [], false, false), ("garbage", [("X-RateLimit-Reset", "x")], false, false),
    ] as [(String, [(String, String)], Bool, Bool)])
  func `a 403 is a rate limit only if its fields say so`(
    what: String, fields: [(String, String)], isLimit: Bool, waits: Bool
  ) throws {
    let found = meaning(of: reply(403, fields), isConditional: false, at: now)

    let wait: Interval? = waits ? .minutes(10) : nil
    let expected: FetchFailure = isLimit ? .rateLimited(status: 403, retryAfter: wait) : .status(403)
    #expect(found == .failed(expected), "\(what)")
    #expect(self.wait(403, fields) == wait, "\(what)")
  }
}
