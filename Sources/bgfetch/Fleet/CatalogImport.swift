// Lists of feeds that are imported into the catalog.

import Core
import Formats
import Running
import Store

/// The outcome of an import.
struct CatalogImportResult {
  /// Feeds that are in the catalog now, and those among them that are new or have changed.
  var taken = 0
  var changed = 0
  var removed = 0
  /// Entries that were left out.
  var leftOut = 0
}

extension OpenedState {
  /// Takes a list over into the catalog, a thousand feeds at a time; `remark` gets what is left out, with its line.
  ///
  /// - Throws: a usage error for a list that cannot be read; what was taken before stays.
  func importCatalog(
    _ order: FleetImportCommand, remark: (_ line: Int, _ what: String) -> Void
  ) async throws -> CatalogImportResult {
    let bytes = try invocation.read(
      order.file, limit: ByteCount(4 << 30), purpose: "the list", isBelieved: true)
    var list = CatalogList(settings, tags: order.tags)
    // A byte order mark has no such byte.
    let isJSON = bytes.first { $0 > 0x20 && $0 < 0x80 }.map("{[".utf8.contains) ?? true
    try isJSON ? list.readLines(bytes, of: order.file) : list.readSubscriptionList(bytes, of: order.file)
    if !isJSON, !order.replace {
      // The names are made up, and must not replace another feed.
      list.leaveOut(otherThan: try await existing(list.feeds.map(\.name)))
    }
    for (line, what) in list.remarks { remark(line, what) }
    var result = CatalogImportResult(taken: list.feeds.count, leftOut: list.leftOut)
    let now = try await storeTime()
    if order.dryRun {
      let known = try await existing(list.feeds.map(\.name))
      result.changed = list.feeds.count { known[$0.name] != $0 }
    }
    if order.replace, !order.dryRun, result.leftOut == 0 {
      try await followRenames(in: list.feeds, at: now, &result)
    }
    for part in list.feeds.parts(of: 1000) where !order.dryRun {
      result.changed += try await store.addToCatalog(part, at: now)
    }
    guard order.replace else { return result }
    // A feed with a mistake in its line must not be removed.
    guard result.leftOut == 0, !list.feeds.isEmpty else {
      console.say("nothing is removed, because feeds were left out or the list is empty", .warning)
      return result
    }
    let listed = Set(list.feeds.map(\.name))
    var last: String?
    while case let (part, end?) = try await store.catalogPage(after: last, limit: 10_000) {
      last = end
      let gone = part.map(\.name).filter { !listed.contains($0) }
      guard !gone.isEmpty else { continue }
      result.removed += order.dryRun ? gone.count : try await store.removeFromCatalog(gone, at: now)
    }
    return result
  }

  /// Gives the feeds of the catalog that a list has under other names these names, and reports them.
  private func followRenames(
    in feeds: [CatalogFeed], at now: Instant, _ result: inout CatalogImportResult
  ) async throws {
    func traits(_ feed: CatalogFeed) -> FeedTraits {
      FeedTraits(name: feed.name, configuration: nil, request: Fingerprint(of: feed.address.text).value)
    }
    let listed = Dictionary(feeds.map { ($0.name, $0.address) }) { first, _ in first }
    let known = try await existing(feeds.map(\.name))
    var changed: [FeedTraits] = []
    var last: String?
    while case let (part, end?) = try await store.catalogPage(after: last, limit: 10_000) {
      last = end
      changed += part.filter { listed[$0.name] != $0.address }.map(traits)
    }
    let new = feeds.filter { known[$0.name]?.address != $0.address }.map(traits)
    let renames = feedRenames(of: changed, in: new)
    guard !renames.isEmpty else { return }
    let names = Set(renames.flatMap { [$0.former, $0.name] })
    let renamed = try await store.renameInCatalog(
      renames, to: feeds.filter { names.contains($0.name) }, at: now)
    result.changed += renamed.changed
    result.removed += renamed.removed
    for rename in renames {
      let notice = RunNotice.renamed(rename, items: renamed.items[rename.name] ?? 0)
      console.print(json: [notice.json].compactMap(\.self), text: [notice.line.text])
    }
  }

  private func existing(_ names: [FeedName]) async throws -> [FeedName: CatalogFeed] {
    var found: [FeedName: CatalogFeed] = [:]
    for part in names.parts(of: 1000) { found.merge(try await store.catalogFeeds(part)) { $1 } }
    return found
  }
}

/// The feeds of a list that the catalog can have, and remarks on the others.
private struct CatalogList {
  private let settings: Settings
  /// The tags that every feed gets.
  private let tags: [String]
  private(set) var feeds: [CatalogFeed] = []
  private(set) var remarks: [(line: Int, what: String)] = []
  private(set) var leftOut = 0
  private var lines: [FeedName: Int] = [:]

  init(_ settings: Settings, tags: [String]) {
    (self.settings, self.tags) = (settings, tags)
  }

  mutating func readLines(_ bytes: [UInt8], of file: String) throws {
    do {
      try readJSONLines(bytes) { add($0) }
    } catch let failure as CatalogListFailure {
      throw ProgramFailure.usage(
        "\(file): line \(failure.line) cannot be read; for JSON lines, each is an object such as "
          + "{\"name\": …, \"url\": …}")
    }
  }

  mutating func readSubscriptionList(_ bytes: [UInt8], of file: String) throws {
    let entries = try restating(readSubscriptions(bytes)) { (error: SubscriptionListFailure) in
      ProgramFailure.usage("\(file): \(error.text)")
    }
    let plan = importPlan(entries, takingFiles: false)
    for remark in plan.remarks {
      record(remark.line, remark.kind.text, isLeftOut: remark.kind.leftOut > 0)
    }
    for (index, feed) in plan.feeds.enumerated() {
      var listed = ListedFeed(line: index + 1)
      listed.name = feed.name.text
      listed.url = feed.subscription.url
      listed.tags = feed.subscription.tags
      add(listed)
    }
  }

  private mutating func add(_ listed: ListedFeed) {
    do throws(TextProblem) {
      let feed = try CatalogFeed(
        name: listed.name, url: listed.url, tags: listed.tags + tags.filter { !listed.tags.contains($0) })
      if let mistake = settings.mistake(in: feed) {
        record(listed.line, mistake, isLeftOut: true)
      } else if let earlier = lines[feed.name] {
        record(listed.line, "\(feed.name) is on line \(earlier) already", isLeftOut: true)
      } else {
        lines[feed.name] = listed.line
        feeds.append(feed)
      }
    } catch {
      record(listed.line, error.text, isLeftOut: true)
    }
  }

  /// Leaves out feeds whose name another feed of the catalog has.
  mutating func leaveOut(otherThan known: [FeedName: CatalogFeed]) {
    func isOther(_ feed: CatalogFeed) -> Bool { known[feed.name].map { $0.address != feed.address } ?? false }
    for feed in feeds where isOther(feed) {
      record(lines[feed.name] ?? 0, "the catalog has another feed named \(feed.name)", isLeftOut: true)
    }
    feeds.removeAll(where: isOther)
  }

  private mutating func record(_ line: Int, _ what: String, isLeftOut: Bool) {
    leftOut += isLeftOut ? 1 : 0
    // A list of a million wrong feeds needs no million lines.
    if remarks.count < 1000 { remarks.append((line, what)) }
  }
}

extension Settings {
  /// Why the configuration has no settings for a feed of the catalog; nil if it has.
  func mistake(in feed: CatalogFeed) -> String? {
    catalog.haveSettings(of: feed)
      ? nil
      : "defaults: holds a secret, which is not for every address; give the feed a tag that has settings under catalog:"
  }
}
