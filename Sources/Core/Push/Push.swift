// Pushes: a program tells bgfetch that a feed has something new, or shows a notification through it.
//
// Push.swift           the payload, its feed and its events
// ReadPush.swift       JSON bytes to a payload
// PushedFile.swift     the file that a push announces: its address, its item, whether it may be downloaded now
// WaitingPushes.swift  stored pushes: when they may cause a fetch, and what a fetch settles
//
// Store stores pushes, and the run downloads and sends messages. Nothing here reads files or the clock.

/// A small JSON payload that makes a feed due at once, or only shows the person a notification.
///
/// The keys below `aps` are those of Apple's remote notifications ("Generating a remote notification").
public struct PushPayload: Equatable, Sendable {
  /// The feed's name as written; nil if the payload names none.
  public var feed: String?
  /// Whether there is something to fetch: `content-available` is 1.
  public var isContentAvailable = false
  /// The notification for the person, if any.
  public var alert: PushAlert?
  /// The name of a sound; nil means the feed's own.
  public var sound: String?
  /// The urgency of the alert; nil means the urgency of the feed's notifications.
  public var urgency: Urgency?
  /// The keys beside `aps` that may fill the template of an address: strings and whole numbers, in their order.
  public var values: [PushValue] = []
  /// The whole payload as JSON on one line; empty for one that waited in the store.
  ///
  /// Its strings may contain terminal escape sequences.
  var text: String

  public init(text: String) {
    self.text = text
  }

  /// The identity of the push within its feed: a newer push with the same one replaces it.
  public var contentID: String? { self["content-id"] }

  /// The value of a key beside `aps`.
  subscript(name: String) -> String? { values.first { $0.name == name }?.text }
}

/// The notification that a push shows the person.
public struct PushAlert: Equatable, Sendable {
  /// The title; nil means the feed's.
  public var title: String?
  /// The body, without terminal escape sequences.
  public var body: String

  public init(title: String? = nil, body: String) {
    (self.title, self.body) = (title, body)
  }
}

/// A key of a payload with its value.
public struct PushValue: Equatable, Sendable {
  public var name: String
  /// A string as it is, or a whole number in decimal; at most `longest` bytes.
  public var text: String

  /// The most bytes of a value.
  public static let longest = 256

  /// The keys of a payload that are never values.
  static let reserved: Set = ["aps", "feed"]

  public init(name: String, text: String) {
    (self.name, self.text) = (name, text)
  }
}

/// The reason why a push is refused; a refused push is not stored.
public enum PushProblem: Error, Equatable, Sendable {
  /// It is longer than `largest` bytes.
  case tooLarge
  /// It is not an object of JSON.
  case notJSON
  /// The value of a key has the wrong type or range; `expected` says what is allowed.
  case wrongValue(key: String, expected: String)
  /// A key occurs twice, so it is unclear which value counts.
  case repeated(key: String)
  /// `--set` gives a key that the push has already.
  case reserved(key: String)
  /// It names no feed, and there is not exactly one feed with a `push.url`.
  case namesNoFeed
  case unknownFeed(String)
  /// A placeholder of the feed's `push.url` or `push.description` has no value in the payload.
  case missingValue(key: String, feed: FeedName)
  /// A value cannot be part of an address: it is empty in a path, would make a segment `.` or `..`, or is longer than
  /// `PushValue.longest` bytes.
  case unusableValue(key: String, feed: FeedName)
  /// The filled template is not an address, or is too long.
  case noAddress(String, feed: FeedName)

  /// The most bytes of a payload, as for Apple's remote notifications.
  public static let largest = 4096
}

/// The feed of a push: the one that the payload names, else the only one with a `push.url`.
///
/// - Throws: `unknownFeed` or `namesNoFeed`.
public func pushTarget(_ payload: PushPayload, among feeds: [FeedSpec]) throws(PushProblem) -> FeedSpec {
  guard let name = payload.feed else {
    let candidates = feeds.lazy.filter { $0.push.url != nil }.prefix(2)
    guard let only = candidates.first, candidates.count == 1 else { throw .namesNoFeed }
    return only
  }
  guard let feed = feeds.first(where: { $0.name.text == name }) else {
    throw .unknownFeed(visible(name, limit: 100))
  }
  return feed
}

/// The payload of `push --feed NAME --set KEY=VALUE`: something to fetch, and no alert.
///
/// - Throws: `repeated` if a key is there twice; `reserved` for `aps` and `feed`, which the payload has already.
public func pushPayload(feed: FeedName, values: [PushValue]) throws(PushProblem) -> PushPayload {
  var names: Set<String> = []
  for value in values {
    guard !PushValue.reserved.contains(value.name) else { throw .reserved(key: value.name) }
    guard names.insert(value.name).inserted else { throw .repeated(key: value.name) }
  }
  let object = JSONValue.object(
    [("aps", JSONValue(["content-available": 1])), ("feed", .string(feed.text))]
      + values.map { ($0.name, .string($0.text)) })
  var payload = PushPayload(text: object.text)
  payload.feed = feed.text
  payload.isContentAvailable = true
  payload.values = values
  return payload
}

// MARK: Events

/// A push as it is stored, with the events that it causes at once.
///
/// If there is something to fetch, the payload waits for a run, and so does its alert. Otherwise the alert is shown at
/// once, unless the feed's hours postpone it.
///
/// - Parameters:
///   - label: the feed's title and link.
///   - origin: the process that took the push.
///   - mark: distinguishes the push from others of the same origin.
///   - now: when it was taken.
///   - zone: the time zone of the feed's hours.
/// - Throws: the reason why its file could not be fetched later; the push is refused then.
public func newPush(
  _ payload: PushPayload, feed: FeedSpec, label: FeedLabel, hooks: [HookSpec], origin: EventOrigin,
  mark: String, at now: Instant, in zone: Zone
) throws(PushProblem) -> NewPush {
  guard payload.text.utf8.count <= PushProblem.largest else { throw .tooLarge }
  var events: [EventRecord] = []
  let subscribers = hooks.filter { $0.events.contains(.pushReceived) && $0.covers(feed) }
  if !subscribers.isEmpty {
    let fields = JSONValue(["feed.title": label.title, "payload": payload.text])
    events.append(
      EventRecord(
        event: origin.event(.pushReceived, feed: feed.name, mark: mark, fields),
        subscribers: subscribers))
  }
  guard !payload.isContentAvailable else {
    _ = try pushedAsset(payload, feed: feed)
    return NewPush(
      feed: feed.name, contentID: payload.contentID, payload: payload, events: events)
  }
  if let alert = alertEvent(
    payload, feed: feed, label: label, hooks: hooks, origin: origin, mark: mark)
  {
    events += scheduled([alert], by: feed.notify, to: hooks, at: now, in: zone)
  }
  return NewPush(
    feed: feed.name, contentID: payload.contentID, payload: nil, events: events)
}

/// The notification that shows the alert of a push; nil if the push has no alert, or no hook wants the notification.
///
/// Title, sound and urgency that the payload does not give are those of the feed's own notifications; the sound `default`
/// is the feed's, if it has one. An alert replaces an earlier one of the feed with the same `content-id`.
///
/// - Parameters:
///   - feed: its feed; `notify: none` shows no alerts.
///   - origin: the process that makes the event.
///   - mark: distinguishes the push from others of the same origin.
func alertEvent(
  _ payload: PushPayload, feed: FeedSpec, label: FeedLabel, hooks: [HookSpec], origin: EventOrigin,
  mark: String
) -> EventRecord? {
  guard let alert = payload.alert, let notify = feed.notify else { return nil }
  let contentID = payload.contentID.map { "." + $0 } ?? ""
  let sound = payload.sound == "default" ? notify.sound ?? payload.sound : payload.sound ?? notify.sound
  let message = fixedMessage(
    title: alert.title ?? label.title, body: alert.body,
    identifier: identifierText(feed.name.text + contentID), urgency: payload.urgency ?? notify.urgency,
    link: label.link, sound: sound)
  return eventRecord(
    .notification, mark: "push." + mark, message, feed: feed, label: label, hooks: hooks, among: notify.hooks,
    origin: origin)
}
