// The words and JSON of `bgfetch push`: what happens next, or why a push is refused.

import Core

/// The result of a push.
struct PushAnswer {
  enum Fate {
    /// The feed is paused.
    case ignored(Pause)
    /// The push causes no fetch; its messages, if any, are delivered.
    case messagesOnly(NewPush)
    /// The push waits for a run; the decision is nil if it is not needed for the output.
    case waiting(DueDecision?)
  }

  var feed: FeedName
  var payload: PushPayload
  var fate: Fate
  /// The store's receipt; empty if the push was not stored.
  var receipt = PushReceipt()
}

/// The next step in words; nil if it was not worked out.
func fateText(_ answer: PushAnswer, in zone: Zone) -> String? {
  switch answer.fate {
  case .ignored(let pause): return "\(pauseText(pause, in: zone)); the push is ignored"
  case .waiting(let decision):
    return decision.map { $0.isDue ? "the next run fetches it" : conclusion($0, in: zone) }
  case .messagesOnly(let push):
    guard let alert = push.events.first(where: { $0.event.kind == .notification }) else {
      return answer.payload.alert == nil
        ? "nothing to fetch" : "not delivered: no hook subscribes to notifications of this feed"
    }
    return alert.postponedUntil.map { "to be delivered at \($0.local(in: zone))" } ?? "delivered at once"
  }
}

/// The next step as JSON.
func pushJSON(_ answer: PushAnswer, in zone: Zone) -> JSONValue {
  var isAccepted = true
  var isWaiting = false
  var dueAt: Instant?
  switch answer.fate {
  case .ignored: isAccepted = false
  case .messagesOnly: break
  case .waiting(let decision): (isWaiting, dueAt) = (true, decision?.dueAt)
  }
  return JSONValue([
    "type": "push", "feed": answer.feed, "content-id": answer.payload.contentID, "taken": isAccepted,
    "waits": isWaiting, "due-at": dueAt, "replaced": answer.receipt.hasReplaced,
    "dropped": answer.receipt.dropped, "text": fateText(answer, in: zone),
  ])
}

/// The message about older pushes that were dropped, or nil if none were.
func droppedText(_ answer: PushAnswer) -> String? {
  guard answer.receipt.dropped > 0 else { return nil }
  return
    "\(answer.feed): \(counted(answer.receipt.dropped, "older push", plural: "older pushes")) dropped, because "
    + "at most \(NewPush.mostOfFeed) of a feed can wait; bgfetch why \(answer.feed) shows what they wait for"
}

let noPushText =
  "there is no payload; name a file, or send it to standard input: "
  + #"echo '{"aps": {"content-available": 1}, "feed": "planet"}' | bgfetch push; "#
  + "or write bgfetch push --feed planet"

func pushText(_ problem: PushProblem, among feeds: [FeedSpec]) -> String {
  switch problem {
  case .tooLarge:
    "the payload is larger than \(PushProblem.largest) bytes; send a hint of what to fetch, not the data itself"
  case .notJSON:
    #"the payload is not a JSON object; write it like {"aps": {"content-available": 1}, "feed": "planet"}"#
  case .wrongValue(let key, let expected): "the payload's \"\(key)\" is not right; write \(expected)"
  case .repeated(let key): "the payload's \"\(key)\" appears twice; leave out one of them"
  case .reserved(let key):
    "--set \(key)=…: --feed sets \"\(key)\" itself; leave it out, or send a payload of your own to standard input"
  case .namesNoFeed: "the payload names no feed; " + feedCure(feeds)
  case .unknownFeed(let name):
    "the payload is for the feed \"\(name)\", which does not exist; "
      + (nearest(name, among: feeds.map(\.name.text)).map { "did you mean \"\($0.word)\"?" }
        ?? "bgfetch status lists them")
  case .missingValue(let key, let feed):
    "the payload's \"\(key)\", which push of \(feed) needs, is missing, is not text or a whole number, or is longer "
      + "than \(PushValue.longest) bytes; write \"\(key)\": \"42\", for example"
  case .unusableValue(let key, let feed):
    "the payload's \"\(key)\" cannot be used in push.url of \(feed); send 1 to \(PushValue.longest) bytes, not . or .."
  case .noAddress(let address, let feed):
    "push.url of \(feed) becomes \"\(addressText(address))\", which is not an address; check it and the payload"
  }
}

/// The advice for a payload without a feed.
private func feedCure(_ feeds: [FeedSpec]) -> String {
  let candidates = feeds.filter { $0.push.url != nil }.map(\.name.text)
  guard !candidates.isEmpty else {
    let example = feeds.first?.name.text ?? "planet"
    return #"add "feed": "\#(example)", or give one feed a push.url"#
  }
  return #"several feeds have a push.url: add "feed" with one of "# + candidates.joined(separator: ", ")
}
