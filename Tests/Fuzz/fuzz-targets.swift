// libFuzzer targets for all untrusted input: reading any bytes ends, and stays within its limits.
// `make fuzz` builds them with scripts/one-module and runs one after the other; BGFETCH_FUZZ says which one this is.

import Config
import Core
import Formats
import Glibc

/// Reads one input; called by libFuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
public func readsAnything(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  target(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}

private typealias Target = @Sendable ([UInt8]) -> Void

private let targets: [String: Target] = [
  "feed": readsAnyFeed, "json": readsAnyJSON, "opml": readsAnyList, "push": readsAnyPush,
  "yaml": readsAnyConfiguration, "cron": readsAnyCron, "date": readsAnyDate, "header": readsAnyHeader,
  "resume": resumesAnyFile, "name": namesAnyFile, "pattern": searchesAnyText, "page": readsAnyPage,
]

private let target: Target = {
  guard let name = getenv("BGFETCH_FUZZ"), let target = targets[String(cString: name)] else {
    fatalError("BGFETCH_FUZZ is one of \(targets.keys.sorted())")
  }
  return target
}()

/// Stops with a message if a condition does not hold.
private func check(_ holds: Bool, _ what: String) {
  if !holds { fatalError(what) }
}

/// The parts of an input, divided by line ends; missing ones are empty.
private struct Lines {
  private var rest: [Substring]

  init(_ bytes: [UInt8]) {
    rest = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      .reversed()
  }

  mutating func next() -> String { String(rest.popLast() ?? "") }

  mutating func number() -> Int64? { Int64(next()) }

  mutating func optional() -> String? {
    let text = next()
    return text.isEmpty ? nil : text
  }

  mutating func fields() -> [HeaderField] {
    var fields: [HeaderField] = []
    while let line = rest.popLast() {
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 {
        fields.append(HeaderField(String(parts[0]), String(parts[1].drop { $0 == " " })))
      }
    }
    return fields
  }
}

private let now = Instant(secondsSince1970: 1_800_000_000)

private func spec(_ change: (inout FeedSpec) -> Void = { _ in }) -> FeedSpec {
  guard let name = FeedName("feed") else { fatalError("no name") }
  var spec = FeedSpec(name: name, url: .plain("https://a.example/feed"))
  change(&spec)
  return spec
}

private func readsAnyFeed(_ bytes: [UInt8]) {
  // The first byte chooses the header, to test other encodings.
  let types = [nil, "text/xml; charset=utf-8", "text/xml; charset=shift_jis", "text/xml; charset=gb18030"]
  for type in [nil, types[Int(bytes.first ?? 0) % types.count]] { take(bytes, .feed, contentType: type) }
}

private func readsAnyJSON(_ bytes: [UInt8]) {
  take(bytes, .feed, contentType: "application/feed+json")
  take(bytes, mapped, contentType: nil)
}

/// Reads a document and classifies it twice: with no known items, and with its own.
private func take(_ bytes: [UInt8], _ kind: FeedKind, contentType: String?) {
  guard
    let feed = try? readFeed(
      bytes, as: kind, contentType: contentType, address: "https://a.example/b/feed?x=1")
  else { return }
  var resolved = 0
  for item in feed.items {
    check((item.title?.utf8.count ?? 0) <= 4096 && item.enclosures.count <= 200, "out of bounds")
    for text in [item.title, item.summary, item.content] {
      guard let text else { continue }
      check(plainText(fromHTML: text, limit: 200).utf8.count <= 200, "the text is too long")
      check(cleanText(text, limit: 50).utf8.count <= 50, "the clean text is too long")
    }
    resolved += ([item.link ?? ""] + (item.enclosures + item.images).map(\.url)).reduce(0) {
      $0 + $1.utf8.count
    }
  }
  // Blanks and marks that steer become percent and digits, the same address may be a link, an id and an image.
  check(resolved <= (bytes.count * 4 + 1 << 16) * 4, "the addresses are too long")
  let downloading = spec { ($0.filter.include, $0.download) = ([ItemCondition(any: "a|\\d+b")], nil) }
  let first = classify(feed, known: [], feed: downloading, state: FeedState(), at: now)
  let known = first.newItems.enumerated().map { place, record in
    KnownItem(
      number: Int64(place + 1), keys: record.keys, published: record.published, editHash: record.editHash,
      postponedEdit: nil, updatedAt: nil, isFiltered: record.isFiltered)
  }
  var state = FeedState()
  state.hasBaseline = true
  state.identity = first.identity
  state.lastSuccess = now
  let again = classify(feed, known: known, feed: downloading, state: state, at: now)
  check(again.newItems.isEmpty, "a document has the same new items twice")
}

/// A mapping that fits any JSON.
private let mapped: FeedKind = {
  let pointers = ["", "/*", "/*/*", "/a/0/*"].compactMap { try? JSONPointer(parsing: $0) }
  let parts = JSONMapping.Part.allCases.map { ($0, pointers.map(JSONSource.pointer)) }
  return .json(JSONMapping(items: pointers, parts: Dictionary(uniqueKeysWithValues: parts)))
}()

/// Reads a page by the selectors in its first line, as items and as text that changes.
private func readsAnyPage(_ bytes: [UInt8]) {
  let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
  let page = Array(bytes.dropFirst(line.count + 1))
  let written = String(decoding: line, as: UTF8.self)
  let selector = try? SelectorList(parsing: written)
  check((selector?.selectors.count ?? 1) <= SelectorList.mostCompounds, "too many selectors")
  let value = try? PageValue(parsing: written)
  let everything = try? SelectorList(parsing: "*")
  for items in [selector, everything] {
    let parts = value.map { value in JSONMapping.Part.allCases.map { ($0, value) } } ?? []
    let mapping = HTMLMapping(
      items: items, parts: items == nil ? [:] : Dictionary(uniqueKeysWithValues: parts))
    take(page, .html(mapping), contentType: "text/html")
  }
  guard
    let watched = try? readFeed(
      page, as: .html(HTMLMapping(text: selector)), contentType: nil, address: "https://a.example/"),
    let change = pageChange(watched, since: nil, at: now)
  else { return }
  let former = FormerPage(number: 1, content: change.items.first?.content)
  check((former.content?.utf8.count ?? 0) <= 4 << 20, "the content is too long")
  check(pageChange(watched, since: former, at: now) == nil, "a page differs from itself")
}

private func readsAnyList(_ bytes: [UInt8]) {
  if case .watchList(let text)? = try? readOtherProgram(bytes) { _ = try? readWatchList(text) }
  let plan = importPlan((try? readSubscriptions(bytes)) ?? [], takingFiles: true)
  let names = Set(plan.feeds.map(\.name))
  check(names.count == plan.feeds.count, "two feeds have one name")
  guard !plan.feeds.isEmpty else { return }
  let exported = Array(opmlText(plan.feeds.map(\.subscription)).utf8)
  let again = importPlan((try? readSubscriptions(exported)) ?? [], takingFiles: true)
  check(
    again.feeds.map(\.subscription.url) == plan.feeds.map(\.subscription.url),
    "an exported list has other addresses")
}

private func readsAnyPush(_ bytes: [UInt8]) {
  guard let payload = try? readPush(bytes) else { return }
  check(
    (try? readPush(Array(payload.text.utf8)))?.text == payload.text, "a stored payload is read differently")
}

/// Reads a configuration, adds a feed to its text and removes the first one; bytes after a NUL are a file that it includes.
private func readsAnyConfiguration(_ bytes: [UInt8]) {
  let reading = readConfiguration(bytes)
  check(
    (reading.settings == nil) == reading.problems.contains { !$0.isWarning },
    "settings and mistakes do not agree")
  for problem in reading.problems {
    check(problem.line >= 1 && problem.column >= 1, "a problem is in no place")
    check(!problem.text.unicodeScalars.contains(where: \.controlsTerminal), "a message is not clean")
  }
  guard let settings = reading.settings, let name = FeedName("added") else { return }
  let added = NamedSubscription(name: name, subscription: Subscription(url: "https://a.example/added"))
  _ = try? adding([added], to: bytes)
  if let first = settings.feeds.first { _ = try? removing(first.name, from: bytes) }
}

private func readConfiguration(_ bytes: [UInt8]) -> ConfigurationReading {
  let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
  let included = parts.count == 2 ? Array(parts[1]) : []
  let files = ConfigurationFiles(
    matching: { _ in .success(["/home/me/other.yaml"]) }, identity: { $0 },
    read: { _, _ in .success(ConfigurationFile(bytes: included)) })
  let context = ConfigurationContext(environment: ["HOME": "/home/me"], home: "/home/me", files: files) {
    $0 == "Europe/Berlin"
  }
  return readConfiguration(
    parts.first.map(Array.init) ?? [], file: "c.yaml", path: "/home/me/c.yaml", context: context)
}

private func readsAnyCron(_ bytes: [UInt8]) {
  var lines = Lines(bytes)
  let hours = try? WeeklyHours(parsing: lines.next())
  guard let cron = try? CronExpression(parsing: lines.next()) else { return }
  let moment = Instant(secondsSince1970: lines.number() ?? 1_800_000_000)
  for zone in [Zone.utc] {
    if let next = cron.next(after: moment, in: zone) { check(next > moment, "the next moment is not later") }
    guard let hours else { continue }
    if let next = cron.next(atOrAfter: moment, inside: hours, in: zone) {
      check(next >= moment && hours.contains(next, in: zone), "the next moment is outside the hours")
    }
  }
}

private func readsAnyDate(_ bytes: [UInt8]) {
  bytes.withUnsafeBufferPointer { source in
    if let date = feedDate(source) { check(!date.rfc3339.isEmpty, "no text") }
  }
  let text = String(decoding: bytes, as: UTF8.self)
  if let date = Instant(httpDate: text) { check(!date.rfc3339.isEmpty, "no text") }
}

private func readsAnyHeader(_ bytes: [UInt8]) {
  var lines = Lines(bytes)
  let status = Int(lines.number() ?? 200)
  let response = Response(status: status, fields: lines.fields(), body: [])
  _ = meaning(of: response, isConditional: status % 2 == 0, at: now)
  _ = retryAfter(of: response, receivedAt: now)
  _ = challenger(of: response)
  for name in ["Content-Disposition", "Link", "Content-Range", "Retry-After", "ETag", "Date", "Content-Type"]
  {
    guard let value = response.joined(name) else { continue }
    _ = (
      suggestedName(value), ContentRange(value), retryAfter(value, at: now), mediaType(value), usable(value)
    )
  }
  let hubs = hubLinks(of: response, from: "https://a.example/b/c", ParsedFeed(format: .atom))
  check(hubs.hubs.count <= HubLinks.most, "too many hubs")
}

private func resumesAnyFile(_ bytes: [UInt8]) {
  var lines = Lines(bytes)
  guard let address = WebAddress(lines.next()) else { return }
  var partial = PartialDownload()
  partial.bytes = max(0, lines.number() ?? 0)
  partial.total = lines.number().map { max(0, $0) }
  partial.entityTag = lines.optional()
  partial.lastModified = lines.optional()
  partial.date = lines.optional()
  partial.address = lines.optional() ?? address.text
  let head = Response(status: Int(lines.number() ?? 206), fields: lines.fields(), body: [])
  let resume = resumePlan(partial, asking: address)
  if case .resume(let offset, _) = resume {
    check(offset >= 0 && offset <= partial.bytes, "the offset is not in the file")
  }
  let (plan, known) = bodyPlan(
    for: head, resume, partial: partial, asset: Asset(url: address.text), download: DownloadSpec(),
    address: address)
  switch plan {
  case .append: check(known.bytes <= partial.bytes, "more bytes are kept than there were")
  case .fromStart: check(known.bytes == 0, "bytes are kept")
  case .refused: break
  }
  _ = canResume(known)
}

private func namesAnyFile(_ bytes: [UInt8]) {
  var lines = Lines(bytes)
  let (url, title, template) = (lines.next(), lines.next(), lines.next())
  // The template goes through the configuration, which refuses templates that would leave the directory.
  let written = template.unicodeScalars.map { $0 == "'" ? "''" : String($0) }.joined()
  let configuration = "feeds: {feed: {url: 'https://a.example/', download: {name: '\(written)'}}}"
  guard let address = WebAddress(url),
    let feed = template.isEmpty ? spec() : readConfiguration(Array(configuration.utf8)).settings?.feeds.first
  else { return }
  let item = TransferItem(number: 1, id: title, title: title, published: now, firstSeen: now)
  var details = ItemDetails()
  details.season = 2
  details.episode = Int.max
  details.duration = .hours(2)
  let transfer = Transfer(
    number: 1, feed: feed.name, session: 1, asset: Asset(url: url), item: item, description: title,
    queued: now)
  let head = Response(status: 200, fields: lines.fields(), body: [])
  let name = assetName(
    transfer, details: details, feed: feed, label: FeedLabel(feed, FeedState()), head: head, address: address,
    in: .utc)
  for number in [1, 2, 1000] {
    let path = name.candidate(number)
    check(path.utf8.count <= 4096 && !path.hasPrefix("/"), "the path is no path below a directory")
    for part in path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      check((1...255).contains(part.count), "a name is empty or too long")
      check(
        part.first != UInt8(ascii: ".") && !part.contains { $0 < 0x20 || $0 == 0x7F }, "a name is not clean")
    }
  }
}

private func searchesAnyText(_ bytes: [UInt8]) {
  var lines = Lines(bytes)
  guard let pattern = try? Pattern(parsing: lines.next()) else { return }
  let search = PatternSearch(pattern)
  for _ in 0..<4 {
    let text = lines.next()
    check(search.matches(in: text) == pattern.matches(in: text), "a search and a single match differ")
  }
}
