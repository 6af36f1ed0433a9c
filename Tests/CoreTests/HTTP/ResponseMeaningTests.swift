// The meaning of a response before its body is read.

import Core
import Testing

@Suite struct ResponseMeaningTests {
  private let now = Instant(secondsSince1970: 1_800_000_000)

  private func judge(_ status: Int, _ fields: [HeaderField] = [], isConditional: Bool = true)
    -> ResponseMeaning
  {
    meaning(of: Response(status: status, fields: fields, body: []), isConditional: isConditional, at: now)
  }

  @Test func `200 is a document and 304 to validators is not modified`() {
    #expect(judge(200) == .document)
    #expect(judge(304) == .notModified)
  }

  @Test func `304 to an unconditional request is a failure`() {
    #expect(judge(304, isConditional: false) == .failed(.status(304)))
  }

  @Test(arguments: [204, 206, 300, 400, 401, 403, 404, 410, 418, 500, 502])
  func `other statuses are failures`(status: Int) {
    #expect(judge(status) == .failed(.status(status)))
  }

  @Test(arguments: [429, 503])
  func `429 and 503 are rate limits with the server's time`(status: Int) {
    #expect(
      judge(status, [HeaderField("retry-after", "120")])
        == .failed(.rateLimited(status: status, retryAfter: .seconds(120))))
    #expect(judge(status) == .failed(.rateLimited(status: status, retryAfter: nil)))
  }

  @Test func `a browser check is distinguished from a refusal`() {
    #expect(judge(403, [HeaderField("CF-Mitigated", "challenge")]) == .failed(.challenged("Cloudflare")))
  }
}
