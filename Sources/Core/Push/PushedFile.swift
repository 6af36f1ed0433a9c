// The file that a push announces: the templates of the feed's `push`, filled with the payload's values. An address never
// leaves the server and directory that the user wrote, whatever the values are. Also the WebSub hubs of a feed, which are shown.

/// The address and the description of the file that a push announces; nil for a feed without `push.url`.
///
/// Each value is percent-encoded except for the unreserved characters of RFC 3986 (section 2.3), so that it stays within its
/// segment of the path or its part of the query. An empty value is allowed only in the query: in the path it would name
/// another file. The address always has the origin that the user wrote. `{feed}` is the feed's configured name.
///
/// - Throws: the reason why the templates cannot be filled; the push is refused then.
func pushedAsset(
  _ payload: PushPayload, feed: FeedSpec
) throws(PushProblem) -> (address: String, description: String)? {
  guard let template = feed.push.url else { return nil }
  let address = try address(template, payload, feed)
  let wording = try feed.push.description?.filled { name, _ throws(PushProblem) in
    try value(name, payload, feed)
  }
  let description = cleanText(wording ?? "", limit: 256)
  return (address, description.isEmpty ? fileName(inAddress: address) : description)
}

private func address(
  _ template: Template, _ payload: PushPayload, _ feed: FeedSpec
) throws(PushProblem) -> String {
  var text = ""
  var isInQuery = false
  var filled: [(name: String, value: String)] = []
  for part in template.parts {
    switch part {
    case .literal(let literal):
      text += literal
      isInQuery = isInQuery || literal.utf8.contains("?")
    case .placeholder(let name, _):
      let value = try value(name, payload, feed)
      guard !value.isEmpty || isInQuery else { throw .unusableValue(key: name, feed: feed.name) }
      text += percentEncoded(value, keeping: \.isUnreserved)
      filled.append((name, value))
    }
  }
  // The configuration restricts where placeholders may be, so this should always hold. It guards against a mistake there.
  guard text.utf8.count <= longestAddress, let address = WebAddress(text), !address.hasUser,
    let sample = template.sampleAddress, address.hasOrigin(of: sample)
  else { throw .noAddress(cleanText(text, limit: 200), feed: feed.name) }
  if address.leads(elsewhereThan: sample), let first = filled.first {
    let dots = filled.first { $0.value == "." || $0.value.contains("..") || $0.value.contains("%") }
    throw .unusableValue(key: (dots ?? first).name, feed: feed.name)
  }
  return address.text
}

/// The longest address in bytes, as for the files of items.
private let longestAddress = 4096

private func value(_ name: String, _ payload: PushPayload, _ feed: FeedSpec) throws(PushProblem) -> String {
  if name == "feed" { return feed.name.text }
  guard let value = payload[name] else { throw .missingValue(key: name, feed: feed.name) }
  guard value.utf8.count <= PushValue.longest else { throw .unusableValue(key: name, feed: feed.name) }
  return value
}

/// The item of a push and its one file; nil for a feed without `push.url`.
///
/// The item's guid is the `content-id`. An item of the feed's document with the same guid is therefore the same item.
/// Without a `content-id` the guid is the address, with the time added if every push has the same address. The item is
/// unseen and has no date of its own.
///
/// - Parameter now: the start of the round.
/// - Throws: the reason why the feed's templates cannot be filled.
public func pushedItem(
  _ payload: PushPayload, feed: FeedSpec, at now: Instant
) throws(PushProblem) -> (item: ItemRecord, asset: Asset)? {
  guard let (address, description) = try pushedAsset(payload, feed: feed) else { return nil }
  var guid = address
  if let contentID = payload.contentID, !contentID.isEmpty {
    guid = contentID
  } else if feed.push.url?.placeholders.isEmpty == true {
    guid += "#\(now.secondsSince1970)"
  }
  var parsed = ParsedItem()
  parsed.id = guid
  parsed.title = description
  parsed.enclosures = [Enclosure(url: address)]
  let (keys, editHash) = parsed.fingerprints()
  let item = ItemRecord(guid: guid, keys: keys, editHash: editHash, title: description, isSeen: false)
  return (item, Asset(url: address))
}

/// The waiting pushes of feeds with a `push.url` that may be taken now.
///
/// They do not make the feed due.
///
/// - Parameters:
///   - feeds: all configured feeds.
///   - states: their states, as `stateUnderConfiguration` returns them.
///   - context: the run, with the waiting pushes.
/// - Returns: the pushes that rules and limits allow, by feed in the order of the configuration, the oldest first.
func filePushes(
  _ feeds: [FeedSpec], _ states: [FeedName: FeedState], _ context: PlanningContext
) -> [(push: StoredPush, feed: FeedSpec)] {
  // Usually no push waits, and the feeds need not be searched.
  guard !context.pushes.isEmpty else { return [] }
  return feeds.filter { $0.push.url != nil }.flatMap { feed -> [(push: StoredPush, feed: FeedSpec)] in
    guard let demand = context.pushes[feed.name],
      context.named.isEmpty || context.named.contains(feed.name),
      pushDecision(feed, states[feed.name] ?? FeedState(), context).isDue
    else { return [] }
    let allowance = demand.allowance(feed.push.limit, at: context.now)
    return demand.ready(at: context.now).prefix(allowance).map { ($0, feed) }
  }
}

// MARK: Addresses that a template can make

extension Template {
  /// The template's address with a letter in place of every placeholder; nil if that is not an address.
  ///
  /// If all placeholders are after the authority, every address that the template makes has this one's origin.
  public var sampleAddress: WebAddress? { WebAddress(filled { _, _ in "x" }) }
}

extension FeedSpec {
  /// Whether `push.url` can make an address, so that the user has written its host.
  public func isPushAddress(_ address: WebAddress) -> Bool {
    guard let template = push.url, let sample = template.sampleAddress, sample.hasOrigin(of: address) else {
      return false
    }
    var beginning = ""
    if case .literal(let text)? = template.parts.first { beginning = text }
    return address.text.hasPrefix(beginning) && !address.leads(elsewhereThan: sample)
  }
}

extension WebAddress {
  /// Whether the values in an address lead to another directory than the sample's.
  fileprivate func leads(elsewhereThan sample: WebAddress) -> Bool {
    let (own, other) = (URIReference(text), URIReference(sample.text))
    return own.hasDotSegment && !other.hasDotSegment
      || own.hasDotSegmentInQuery && !other.hasDotSegmentInQuery
  }
}

extension URIReference {
  /// Whether a segment of the path is `.` or `..`, however it is written (RFC 3986 section 5.2.4).
  ///
  /// Servers differ in when they decode, and in the characters they treat as a slash. So percent signs are decoded until
  /// none is left; a backslash ends a segment, and so does a semicolon, which begins a segment's parameters.
  public var hasDotSegment: Bool {
    Self.decoded(path).split { Self.isSlash($0) || $0 == ";" }.contains {
      $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8)
    }
  }

  /// Whether a value of the query is a path with a segment `..`, however it is written.
  fileprivate var hasDotSegmentInQuery: Bool {
    Self.decoded(query ?? "").split { "&=;?#".utf8.contains($0) }.contains { value in
      value.contains(where: Self.isSlash)
        && value.split(whereSeparator: Self.isSlash).contains { $0.elementsEqual("..".utf8) }
    }
  }

  private static func isSlash(_ byte: UInt8) -> Bool {
    byte == "/" || byte == "\\"
  }

  /// The bytes of a text, percent-decoded until no percent sign is left before two hexadecimal digits.
  private static func decoded(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    // Reading backwards also decodes signs that appear only by decoding, such as %252e.
    for byte in text.utf8.reversed() {
      bytes.append(byte)
      while bytes.count > 2, bytes[bytes.count - 1] == "%",
        let high = bytes[bytes.count - 2].hexDigitValue, let low = bytes[bytes.count - 3].hexDigitValue
      {
        bytes.replaceSubrange((bytes.count - 3)..., with: [high << 4 | low])
      }
    }
    return bytes.reversed()
  }
}

/// The hubs of a feed and the topic under which they know it (W3C WebSub, section 4).
public struct HubLinks: Equatable, Sendable {
  /// The addresses of the hubs, http or https, in the publisher's order.
  public var hubs: [String] = []
  /// The address to subscribe to; nil means the address that was fetched.
  public var topic: String?

  public init() {}

  /// The most hubs of a feed that are kept.
  static let most = 4
  /// The longest address in bytes; longer ones are ignored.
  static let longest = 2048

  /// Adds a hub, unless it is already there, not a web address, or one too many.
  public mutating func add(hub: String?) {
    guard let hub, hubs.count < Self.most, Self.isUsable(hub), !hubs.contains(hub) else { return }
    hubs.append(hub)
  }

  /// Sets the topic to the first usable web address.
  public mutating func accept(topic address: String?) {
    guard topic == nil, let address, Self.isUsable(address) else { return }
    topic = address
  }

  private static func isUsable(_ address: String) -> Bool {
    address.utf8.count <= longest && WebAddress(address) != nil
  }
}
