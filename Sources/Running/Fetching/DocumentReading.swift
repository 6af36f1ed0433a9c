// A feed's document, from its bytes to its news, without any effect: what a fetch does on a thread that it can leave.

import Core
import Formats

/// The reading of one document.
struct DocumentReading: Sendable {
  let response: Response
  let feed: FeedSpec
  let state: FeedState
  /// The address that sent the document; nil for a file or command.
  let address: WebAddress?
  /// The secrets that must not be stored or shown.
  let hidden: HiddenWords
  /// The items that the store has.
  let known: [KnownItem]
  /// The text of a watched page as it was stored last; nil at the first fetch, and for other feeds.
  let former: FormerPage?
  let time: Instant

  /// A document and its news.
  struct News: Sendable {
    let document: ParsedFeed
    let found: Classification
  }

  /// Reads the document; the outcome means nothing if the reading was stopped.
  func read(_ shouldStop: @escaping ShouldStop) -> Result<News, FetchFailure> {
    // Relative links must not carry a secret address to the store and to hooks.
    let base = feed.hasSecretAddress ? nil : address?.text
    switch readDocument(response, as: feed.kind, address: base, shouldStop) {
    case .failure(let problem):
      let linked = problem == .html ? linkedFeed(base) : nil
      return .failure(failure(of: response, notAFeed: problem, linkedFeed: linked))
    case .success(let whole):
      guard whole.isComplete else { return .failure(.truncated) }
      let document = whole.hiding(hidden)
      // A log-in box beside a text that is selected says nothing, unless the page came from another address than the last.
      let isElsewhere = state.link != nil && state.link != document.link && !state.hasOtherRequest
      if feed.kind.page?.text == nil || isElsewhere, former?.isReplaced(by: document) ?? false,
        case let problem = failure(of: response, notAFeed: .html), problem != .notAFeed(.html)
      {
        return .failure(problem)
      }
      var found = news(of: document, shouldStop)
      found.hide(hidden)
      return .success(News(document: document, found: found))
    }
  }

  private func news(of document: ParsedFeed, _ shouldStop: @escaping ShouldStop) -> Classification {
    feed.kind.isPageText
      ? classifyPage(
        document, since: former, feed: feed, state: state, at: time, shouldStop: shouldStop)
      : classify(document, known: known, feed: feed, state: state, at: time, shouldStop: shouldStop)
  }

  /// The feed that a page links to, which is probably the one that was meant.
  private func linkedFeed(_ base: String?) -> String? {
    guard let address else { return nil }
    // Links are in the head; the rest is not worth the time.
    let links = PageLinks(of: response, address: base, limit: 1 << 20)
    return linksToTry(links.declared, of: address, limit: 1).first?.address.text
  }
}

func readDocument(
  _ response: Response, as kind: FeedKind, address: String?, _ shouldStop: @escaping ShouldStop
) -> Result<ParsedFeed, FeedReadingFailure> {
  // "No content" is an answer of the server, not a broken document.
  if response.status == 204, response.body.isEmpty, let empty = kind.emptyFeed { return .success(empty) }
  do throws(FeedReadingFailure) {
    return .success(
      try readFeed(
        response.body, as: kind, contentType: response["Content-Type"], address: address,
        shouldStop: shouldStop))
  } catch {
    return .failure(error)
  }
}
