// The meaning of a response: documents, failures, and pages in place of a feed.

import Core
import Testing

@Suite struct InterstitialTests {
  private func answered(
    _ status: Int, _ name: String = "X", _ value: String = "", isConditional: Bool = true
  ) -> ResponseMeaning {
    meaning(of: reply(status, [(name, value)]), isConditional: isConditional, at: now)
  }

  @Test func `200 is a document, 304 to validators not modified, and any other status a failure`() {
    #expect(answered(200) == .document)
    #expect(answered(304) == .notModified)
    #expect(answered(304, isConditional: false) == .failed(.status(304)))
    for status in [204, 206, 300, 400, 401, 403, 404, 410, 418, 500, 502] {
      #expect(answered(status) == .failed(.status(status)))
    }
    for status in [429, 503] {
      #expect(answered(status) == .failed(.rateLimited(status: status, retryAfter: nil)))
      let wait = FetchFailure.rateLimited(status: status, retryAfter: .seconds(120))
      #expect(answered(status, "retry-after", "120") == .failed(wait))
    }
  }

  @Test(
    arguments: [
      (403, "cf-mitigated", "challenge", .failed(.challenged("Cloudflare"))),
      (503, "CF-Mitigated", "Challenge", .failed(.challenged("Cloudflare"))),
      (202, "x-amzn-waf-action", "challenge", .failed(.challenged("AWS WAF"))),
      (405, "x-amzn-waf-action", "captcha", .failed(.challenged("AWS WAF"))),
      (403, "X-DataDome", "protected", .failed(.challenged("DataDome"))),
      // Rate limits and passed checks are none.
      (429, "cf-mitigated", "challenge", .failed(.rateLimited(status: 429, retryAfter: nil))),
      (200, "x-datadome", "protected", .document), (403, "x-amzn-waf-action", "count", .failed(.status(403))),
    ] as [(Int, String, String, ResponseMeaning)])
  func `a check for browsers is known by its header`(
    status: Int, name: String, value: String, meaning: ResponseMeaning
  ) {
    #expect(answered(status, name, value) == meaning)
  }

  private func unreadable(_ page: String, _ why: FeedReadingFailure = .html) -> FetchFailure {
    failure(of: Response(status: 200, fields: [], body: Array(page.utf8)), notAFeed: why)
  }

  @Test(
    arguments: [
      ("<script src=\"/.within.website/x/cmd/anubis/static/js/main.mjs\">", .challenged("Anubis")),
      ("<script src=\"https://ct.captcha-delivery.com/c.js\">", .challenged("DataDome")),
      ("<script src=\"/cdn-cgi/challenge-platform/h/b/orchestrate\">", .challenged("Cloudflare")),
      ("<iframe src=\"/_Incapsula_Resource?SWUDNSAI=31\">", .challenged("Imperva")),
      ("<div id=px-captcha>", .challenged("HUMAN")),
      ("<meta http-equiv=refresh content=\"0;/.well-known/sgcaptcha/?r=/feed\">", .challenged("SiteGround")),
      ("<form><input name=p type=\"password\">", .loginPage), ("<INPUT TYPE='PASSWORD'>", .loginPage),
      ("<input type=password>", .loginPage), ("<h1>Our feeds</h1>", .notAFeed(.html)),
    ] as [(String, FetchFailure)])
  func `an HTML page is recognized by its marks`(mark: String, failure: FetchFailure) {
    #expect(unreadable("<!DOCTYPE html><html><body>\(mark)</body></html>") == failure)
  }

  @Test func `only HTML is searched, and an empty page is not a login page`() {
    #expect(unreadable("{\"type\": \"password\"}", .unknown("JSON")) == .notAFeed(.unknown("JSON")))
    #expect(unreadable("") == .notAFeed(.html))
  }

  @Test func `a page that links to a feed names it, cleaned and cut`() {
    let page = Response(status: 200, fields: [], body: Array("<input type=password>".utf8))
    let failed = failure(of: page, notAFeed: .html, linkedFeed: "https://a.example/feed")
    let long = failure(
      of: page, notAFeed: .html,
      linkedFeed: "https://a.example/\u{1B}[31m" + String(repeating: "x", count: 9000))

    #expect(
      failed.text
        == "not a feed: an HTML page that links to the feed https://a.example/feed; set url to that address")
    #expect(long.text.utf8.count < 500)
    #expect(!long.text.contains("\u{1B}"))
  }
}
