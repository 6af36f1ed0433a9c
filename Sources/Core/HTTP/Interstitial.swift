// Pages that stand where a feed should be: checks for browsers and log-ins. They say nothing of the feed.

/// Who checks for a browser before it lets an answer through, as far as the answer's header tells; nil if nobody does.
///
/// Known by fields of their own: Cloudflare's `cf-mitigated: challenge`, AWS WAF's `x-amzn-waf-action`, DataDome's
/// `x-datadome`.
func challenger(of response: Response) -> String? {
  if response["cf-mitigated"]?.lowercased() == "challenge" { return "Cloudflare" }
  if let action = response["x-amzn-waf-action"]?.lowercased(), action == "challenge" || action == "captcha" {
    return "AWS WAF"
  }
  if response["x-datadome"]?.lowercased() == "protected", response.status == 401 || response.status == 403 {
    return "DataDome"
  }
  return nil
}

/// Why an answer with a body that is no feed is no use: a check for browsers, a page to log in, or just no feed.
///
/// - Parameters:
///   - response: the answer.
///   - failure: what reading it as a feed came to.
/// - Returns: the failure with the most to say.
public func failure(of response: Response, notAFeed failure: FeedReadingFailure) -> FetchFailure {
  guard failure == .html else { return .notAFeed(failure) }
  // All that matters stands at the beginning of such pages, which are small.
  let page = response.body.prefix(128 << 10).map(asciiLowercased)
  for (mark, who) in challengeMarks where holds(page, mark) { return .challenged(who) }
  return logInMarks.contains { holds(page, $0) } ? .loginPage : .notAFeed(.html)
}

/// What the pages of checks for browsers hold and no other page does, in lower case.
private let challengeMarks: [([UInt8], String)] = [
  (Array("/.within.website/x/".utf8), "Anubis"), (Array("captcha-delivery.com/".utf8), "DataDome"),
  (Array("/cdn-cgi/challenge-platform/".utf8), "Cloudflare"),
  (Array("/_incapsula_resource".utf8), "Imperva"), (Array("px-captcha".utf8), "HUMAN"),
  (Array("/.well-known/sgcaptcha/".utf8), "SiteGround"), (Array(".awswaf.com/".utf8), "AWS WAF"),
]

private let logInMarks: [[UInt8]] = ["\"password\"", "'password'", "type=password"].map { Array($0.utf8) }

/// Whether a page holds a mark.
private func holds(_ page: [UInt8], _ mark: [UInt8]) -> Bool {
  guard let first = mark.first, page.count >= mark.count else { return false }
  return (0...page.count - mark.count).contains { place in
    page[place] == first && page[place..<place + mark.count].elementsEqual(mark)
  }
}
