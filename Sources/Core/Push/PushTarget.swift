// Which feed a push is for, and pushes that a person makes by words.

/// The feed of a push: the one that the payload names, else the only one that has a `push.url`.
///
/// - Parameters:
///   - payload: what the push says.
///   - feeds: the configured feeds.
/// - Returns: the feed.
/// - Throws: `unknownFeed` or `namesNoFeed`.
public func pushTarget(_ payload: PushPayload, among feeds: [FeedSpec]) throws(PushProblem) -> FeedSpec {
  guard let name = payload.feed else {
    let candidates = feeds.lazy.filter { $0.push.url != nil }.prefix(2)
    guard let only = candidates.first, candidates.count == 1 else { throw .namesNoFeed }
    return only
  }
  guard let feed = feeds.first(where: { $0.name.text == name }) else {
    throw .unknownFeed(shownAsWritten(name))
  }
  return feed
}

/// The beginning of a name with what cannot be seen in it written out, as `\u{200b}`, so that it does not look like the
/// name that was meant.
private func shownAsWritten(_ name: String) -> String {
  name.unicodeScalars.prefix(100).map { scalar in
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned:
      "\\u{\(String(scalar.value, radix: 16))}"
    case .spaceSeparator where scalar != " ": "\\u{\(String(scalar.value, radix: 16))}"
    default: String(scalar)
    }
  }.joined()
}

/// The payload of `push --feed NAME --set KEY=VALUE`: there is something to fetch, and no alert.
///
/// - Parameters:
///   - feed: the feed.
///   - values: what fills templates.
/// - Returns: the payload, as if it had been sent.
/// - Throws: `repeated` where a key stands twice, as it does for a payload; `reserved` for those that stand there already.
public func pushPayload(feed: FeedName, values: [PushValue]) throws(PushProblem) -> PushPayload {
  var names: Set<String> = []
  for value in values {
    guard !PushValue.reserved.contains(value.name) else { throw .reserved(key: value.name) }
    guard names.insert(value.name).inserted else { throw .repeated(key: value.name) }
  }
  let object = JSONValue.object(
    [("aps", .object([("content-available", .number(1))])), ("feed", .string(feed.text))]
      + values.map { ($0.name, .string($0.text)) })
  var payload = PushPayload(text: object.text)
  payload.feed = feed.text
  payload.isContentAvailable = true
  payload.values = values
  return payload
}
