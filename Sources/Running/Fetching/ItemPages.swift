// The pages of a feed's items, from which their contents are taken: after the feed's document and before its commit, so that
// messages about new items have the whole articles. An item whose page is not read stays as the feed gave it.

import Core
import Formats
import Store

extension FeedFetcher {
  /// Takes the contents of new and edited items from their pages, newest first, then those of items that still wait for theirs, as
  /// far as the time and the feed's limit reach; a later fetch goes on.
  ///
  /// - Returns: the end of the fetch's reason, with the number of pages; empty if none was requested.
  func readPages(
    _ mapping: HTMLMapping, for found: inout Classification, _ trace: inout FetchTrace
  ) async throws -> String {
    // After two crashes in a row, a page may be what crashes the program.
    guard trace.state.crashes < 2 else { return "" }
    let (began, now) = (machine.milliseconds(), origin.time)
    if trace.state.pageHour.map({ $0 > now || now.since($0) >= .hours(1) }) ?? true {
      trace.state.pageHour = now
      trace.state.pagesInHour = 0
    }
    var pages = ItemPages(
      fetcher: self, mapping: mapping, end: min(began + ItemPages.time, budgetEnd ?? .max), trace: trace,
      left: trace.state.mustSparePages(at: now) ? 0 : FeedSpec.pagesPerHour - trace.state.pagesInHour)
    for index in found.announcedItems.reversed() { try await pages.read(&found.newItems[index]) }
    for index in found.changedItems.indices where found.changedItems[index].hasNewDetails {
      let record = found.changedItems[index].record
      guard !record.isFiltered, !record.isPruned else { continue }
      try await pages.read(&found.changedItems[index].record)
    }
    let changed = Set(found.changedItems.map(\.number))
    let waiting = try await effects.store.itemsWithoutPages(
      of: trace.feed.name, tries: ItemPages.mostTries, limit: max(0, pages.left))
    for item in waiting where !changed.contains(item.number) && pages.canContinue {
      try await pages.read(&found.articles[item.number, default: item.record])
    }
    trace.requests = pages.trace.requests
    trace.state.pagesInHour += pages.tried
    trace.state.pagesNotBefore = pages.trace.state.pagesNotBefore
    trace.otherHosts = pages.trace.otherHosts
    // The time of the pages is not the feed's.
    trace.end += machine.milliseconds() - began
    return pages.reason
  }
}

/// The pages that one fetch reads.
private struct ItemPages {
  static let mostTries = 3
  /// How long pages may keep the news of a feed, and how long one of them may take, in milliseconds.
  static let time: Int64 = 20_000
  private static let timeOfOne: Int64 = 10_000

  let fetcher: FeedFetcher
  let mapping: HTMLMapping
  let end: Int64
  /// The facts about the feed, with the requests for its pages.
  var trace: FetchTrace
  /// How many pages may be tried.
  var left: Int
  var tried = 0
  var problems: [String] = []

  private var milliseconds: Int64 { fetcher.machine.milliseconds() }

  var canContinue: Bool { left > 0 && !Task.isCancelled && milliseconds < end }

  /// The end of the fetch's reason.
  var reason: String {
    guard tried > 0 else { return "" }
    let read = tried - problems.count
    let count = problems.isEmpty ? counted(read, "page") : "\(read) of \(counted(tried, "page"))"
    return ", \(count) read" + (problems.last.map { " (\($0))" } ?? "")
  }

  /// Takes an item's content from its page, or notes that it waits for that.
  mutating func read(_ item: inout ItemRecord) async throws {
    guard let address = item.link.flatMap(WebAddress.init) else { return }
    var details = item.details ?? ItemDetails()
    let tries = details.pageTries ?? 0
    details.pageTries = tries
    if canContinue, let result = try await article(at: address) {
      left = left - 1
      tried = tried + 1
      switch result.flatMap({
        isLonger($0, than: details.content) ? .success($0) : .failure(.other(Self.short))
      }) {
      case .success(let content):
        details.keep(content, limit: trace.feed.contentLimit ?? DetailBounds.content)
        details.pageTries = nil
      case .failure(let failure):
        details.pageTries = tries + 1
        if case .rateLimited = failure { left = 0 }
        problems.append(cleanText(address.masked, limit: 200) + ": " + failure.words(hiding: trace.hidden))
      }
    }
    item.details = details
    if item.summary == nil { item.summary = details.content.map(ItemRecord.summary) }
  }

  private static let short = "the article found in the page has less text than the feed gave"

  /// Whether content of a page may replace the content of the feed: an article found without a selector may be a notice instead.
  private func isLonger(_ content: String, than given: String?) -> Bool {
    guard mapping.text == nil, let given else { return true }
    func length(_ html: String) -> Int { plainText(fromHTML: html, limit: 1 << 20).utf8.count }
    return length(content) >= length(given)
  }

  /// The article on a page; nil if the run ended first, or the page's host must be spared.
  private mutating func article(at address: WebAddress) async throws -> Result<String, FetchFailure>? {
    let feed = trace.feed
    guard !fetcher.hosts.state(of: address.host).isLimited(at: fetcher.origin.time) else { return nil }
    var access = trace.access ?? .fromLocalFeed(to: address, feed.network)
    access.kind = .html(mapping)
    access.body = nil
    let chain = RequestChain(
      access, validators: Validators(), network: feed.network, userAgent: fetcher.effects.network.userAgent,
      startingAt: address, connected: trace.response?.innerAddress ?? trace.state.innerAddress)
    let limit = Interval(seconds: (min(Self.timeOfOne, end - milliseconds) + 999) / 1000)
    let tooLong = FetchFailure.other("a page took longer than \(limit.text)")
    var visit = trace
    visit.response = nil
    let result = try await fetcher.follow(chain, within: limit, &visit)
    trace.requests = visit.requests
    trace.otherHosts = visit.otherHosts
    switch result {
    case .failed(.suspended): return nil
    case .failed(.timeout): return .failure(tooLong)
    case .failed(let failure):
      spareServer(after: failure, visit)
      return .failure(failure)
    case .notModified: return .failure(.status(304))
    case .document(let response):
      let place = visit.address?.text
      let read = await fetcher.reading(&visit) { [kind = access.kind, hidden = visit.hidden] shouldStop in
        readDocument(response, as: kind, address: place, shouldStop).map {
          $0.hiding(hidden).items.first?.content ?? ""
        }
      }
      // A page that had to be left counts as tried: it would be left again.
      guard let read else { return fetcher.isOver && !visit.wasLeft ? nil : .failure(tooLong) }
      return read.mapError(FetchFailure.notAFeed)
    }
  }

  /// Requests no more pages for as long as the server of a refused one asks for.
  private mutating func spareServer(after failure: FetchFailure, _ visit: FetchTrace) {
    guard let host = visit.address?.host else { return }
    _ = fetcher.hosts.change(host) { known in
      let change = stateAfterPage(trace.state, fetcher.attempt(visit, known), failure: failure)
      trace.state.pagesNotBefore = change.state.pagesNotBefore
      if trace.state.mustSparePages(at: fetcher.origin.time) { left = 0 }
      if change.host != nil { trace.otherHosts.insert(host) }
      return change
    }
  }
}
