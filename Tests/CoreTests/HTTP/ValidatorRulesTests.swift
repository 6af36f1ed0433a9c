// The rules for validators.

import Core
import Testing

@Suite struct ValidatorRulesTests {
  private let now = Instant(secondsSince1970: 1_800_000_000)
  private let address = WebAddress("https://example.org/feed").unsafelyUnwrapped
  private let name = FeedName("planet").unsafelyUnwrapped

  private func response(_ fields: [HeaderField], status: Int = 200) -> Response {
    Response(status: status, fields: fields, body: [])
  }

  private var stored: Validators {
    Validators(
      from: response([HeaderField("ETag", "\"a\""), HeaderField("Last-Modified", "yesterday")]),
      at: address.text,
      now: now)
  }

  @Test func `the first answer's validators are kept as written`() {
    #expect(stored.entityTag == "\"a\"")
    #expect(stored.lastModified == "yesterday")
    #expect(stored.address == "https://example.org/feed")
  }

  @Test func `a full answer with only one validator drops the other`() {
    let after = Validators(from: response([HeaderField("etag", "\"b\"")]), at: address.text, now: now)

    #expect(after.entityTag == "\"b\"")
    #expect(after.lastModified == nil)
  }

  @Test func `a full answer without validators clears both`() {
    #expect(Validators(from: response([]), at: address.text, now: now).isEmpty)
  }

  @Test func `a changed ETag with the same date is stored`() {
    let after = stored.refreshed(
      by: response([HeaderField("ETag", "\"b\""), HeaderField("Last-Modified", "yesterday")], status: 304))

    #expect(after.entityTag == "\"b\"")
    #expect(after.lastModified == "yesterday")
  }

  @Test func `a changed date with the same ETag is stored`() {
    let after = stored.refreshed(by: response([HeaderField("Last-Modified", "today")], status: 304))

    #expect(after.entityTag == "\"a\"")
    #expect(after.lastModified == "today")
  }

  @Test func `a 304 without validators keeps both`() {
    #expect(stored.refreshed(by: response([], status: 304)) == stored)
  }

  private func state(fingerprint: UInt64) -> FeedState {
    var state = FeedState()
    state.validators = stored
    state.requestFingerprint = fingerprint
    return state
  }

  @Test func `validators are sent while nothing about the request changes`() {
    let sent = validatorsToSend(state(fingerprint: 7), fingerprint: 7, feed: name, machine: "m", at: now)

    #expect(sent == stored)
  }

  @Test func `a changed address, header or credential drops the validators`() {
    let sent = validatorsToSend(state(fingerprint: 7), fingerprint: 8, feed: name, machine: "m", at: now)

    #expect(sent.isEmpty)
  }

  @Test func `every part of the access changes its fingerprint`() {
    var accesses = [FeedAccess(address: address)]
    accesses.append(FeedAccess(address: WebAddress("https://example.org/other").unsafelyUnwrapped))
    accesses.append(FeedAccess(address: address, headers: [HeaderField("Cookie", "a")]))
    accesses.append(FeedAccess(address: address, headers: [HeaderField("Cookie", "b")]))
    accesses.append(FeedAccess(address: address, credentials: .bearer("t")))
    accesses.append(FeedAccess(address: address, credentials: .basic(username: "t", password: "")))
    accesses.append(FeedAccess(address: address, credentials: .netrc))
    var other = FeedAccess(address: address)
    other.userAgent = "other"
    accesses.append(other)

    #expect(Set(accesses.map(\.fingerprint)).count == accesses.count)
  }

  @Test(arguments: ["a", "b", "c", "d", "e", "f"])
  func `validators are left out once, after 8 to 30 days without a full answer`(machine: String) {
    func isSent(after days: Int64) -> Bool {
      !validatorsToSend(
        state(fingerprint: 7), fingerprint: 7, feed: name, machine: machine, at: now + .days(days)
      ).isEmpty
    }

    #expect(isSent(after: 7))
    #expect(!isSent(after: 30))
  }

  // If a server refused its own validator, the feed would fail for weeks.
  @Test(arguments: ["", "\"a\rb\"", "\"a\nb\"", "\"\0\"", String(repeating: "x", count: 5000)])
  func `a validator that cannot be sent back is not stored`(value: String) {
    let fields = [HeaderField("ETag", value), HeaderField("Last-Modified", value)]

    #expect(Validators(from: response(fields), at: address.text, now: now).isEmpty)
    #expect(stored.refreshed(by: response(fields, status: 304)) == stored)
  }
}
