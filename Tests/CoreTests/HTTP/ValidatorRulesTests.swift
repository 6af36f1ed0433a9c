// The rules for validators.

import Testing

@testable import Core

@Suite struct ValidatorRulesTests {

  private let address = WebAddress("https://example.org/feed").unsafelyUnwrapped
  private let name = FeedName("planet").unsafelyUnwrapped

  private func response(_ fields: [HeaderField], status: Int = 200) -> Response {
    Response(status: status, fields: fields, body: [])
  }

  private var stored: Validators {
    Validators(
      from: response([HeaderField("ETag", "\"a\""), HeaderField("Last-Modified", "yesterday")]),
      at: address.text, now: now)
  }

  @Test func `a full answer replaces both validators, and a 304 those that it has`() {
    let changed = [HeaderField("ETag", "\"b\""), HeaderField("Last-Modified", "yesterday")]
    let half = Validators(from: response([HeaderField("etag", "\"b\"")]), at: address.text, now: now)
    let tag = stored.refreshed(by: response(changed, status: 304))
    let date = stored.refreshed(by: response([HeaderField("Last-Modified", "today")], status: 304))

    #expect(stored.entityTag == "\"a\"")
    #expect(stored.lastModified == "yesterday")
    #expect(stored.address == "https://example.org/feed")
    #expect(half.entityTag == "\"b\"")
    #expect(half.lastModified == nil)
    #expect(Validators(from: response([]), at: address.text, now: now).isEmpty)
    #expect(tag.entityTag == "\"b\"")
    #expect(tag.lastModified == "yesterday")
    #expect(date.entityTag == "\"a\"")
    #expect(date.lastModified == "today")
    #expect(stored.refreshed(by: response([], status: 304)) == stored)
  }

  private func sent(_ fingerprint: UInt64, machine: String = "m", after days: Int64 = 0) -> Validators {
    let state = with(FeedState()) { ($0.validators, $0.requestFingerprint) = (stored, 7) }
    return validatorsToSend(
      state, fingerprint: fingerprint, feed: name, machine: machine, at: now + .days(days))
  }

  @Test func `validators are sent until address, headers or credentials change`() {
    #expect(sent(7) == stored)
    #expect(sent(8).isEmpty)
  }

  @Test func `every part of the access changes its fingerprint`() {
    let accesses = [
      FeedAccess(address: address),
      FeedAccess(address: WebAddress("https://example.org/other").unsafelyUnwrapped),
      FeedAccess(address: address, headers: [HeaderField("Cookie", "a")]),
      FeedAccess(address: address, headers: [HeaderField("Cookie", "b")]),
      FeedAccess(address: address, credentials: .bearer("t")),
      FeedAccess(address: address, credentials: .basic(username: "t", password: "")),
      FeedAccess(address: address, credentials: .netrc),
      with(FeedAccess(address: address)) { $0.userAgent = "other" },
    ]

    #expect(Set(accesses.map(\.fingerprint)).count == accesses.count)
  }

  @Test(arguments: ["a", "b", "c", "d", "e", "f"])
  func `validators are left out once, after 8 to 30 days without a full answer`(machine: String) {
    #expect(!sent(7, machine: machine, after: 7).isEmpty)
    #expect(sent(7, machine: machine, after: 30).isEmpty)
  }

  // If a server refused its own validator, the feed would fail for weeks.
  @Test(arguments: ["", "\"a\rb\"", "\"a\nb\"", "\"\0\"", String(repeating: "x", count: 5000)])
  func `a validator that cannot be sent back is not stored`(value: String) {
    let fields = [HeaderField("ETag", value), HeaderField("Last-Modified", value)]

    #expect(Validators(from: response(fields), at: address.text, now: now).isEmpty)
    #expect(stored.refreshed(by: response(fields, status: 304)) == stored)
  }
}
