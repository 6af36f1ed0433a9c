// What a push tells hooks and the person, and what of it is stored.

/// A push on its way into the store, with the events that follow from it at once.
///
/// Where there is something to fetch, the payload waits for a run, and alert and badge wait with it. Where there is not, the
/// alert is shown and the badge set at once, the alert held by the feed's hours.
///
/// - Parameters:
///   - payload: what the push says.
///   - feed: its feed.
///   - label: what the feed is called.
///   - hooks: the configured hooks.
///   - origin: whoever took the push.
///   - mark: tells it from other pushes of the origin.
///   - now: when it was taken.
///   - zone: where the feed's hours are read.
/// - Returns: the push as it is stored.
/// - Throws: what would keep it from being fetched; nothing is stored then.
public func newPush(
  _ payload: PushPayload, feed: FeedSpec, label: FeedLabel, hooks: [HookSpec], origin: EventOrigin,
  mark: String, at now: Instant, in zone: Zone
) throws(PushProblem) -> NewPush {
  let size = payload.text.utf8.count
  guard size <= PushProblem.largest else { throw .tooLarge(bytes: size) }
  var events: [EventRecord] = []
  let hearing = hooks.filter { $0.events.contains(.pushReceived) && $0.hears(of: feed) }
  if !hearing.isEmpty {
    let fields = [
      EventField("feed.title", label.title), EventField("payload", jsonWithoutSteering(payload.text)),
    ]
    events.append(
      EventRecord(
        event: origin.event(.pushReceived, feed: feed.name, mark: mark, fields), hooks: hearing.map(\.name)))
  }
  guard !payload.isContentAvailable else {
    _ = try pushedAsset(payload, feed: feed)
    return NewPush(
      feed: feed.name, contentID: payload.contentID, payload: payload.text, events: events)
  }
  if let alert = alertEvent(
    payload, feed: feed, label: label, hooks: hooks, origin: origin, mark: mark)
  {
    events += held([alert], by: feed.notify, at: now, in: zone)
  }
  return NewPush(
    feed: feed.name, contentID: payload.contentID, payload: nil, events: events, badge: payload.badge)
}

/// The message that shows the alert of a push; nil where it has none, or no hook tells messages of the feed.
///
/// What the payload does not say is as in the feed's own messages; the sound `default` is the feed's, where it has one.
/// An alert takes the place of an earlier one of the feed with the same `content-id`.
///
/// - Parameters:
///   - payload: what the push says.
///   - feed: its feed; one with `notify: none` tells nothing.
///   - label: what the feed is called.
///   - hooks: the configured hooks.
///   - origin: whoever tells it.
///   - mark: tells it from other pushes of the origin.
/// - Returns: the message; nil where the push has no alert, or no hook hears of it.
public func alertEvent(
  _ payload: PushPayload, feed: FeedSpec, label: FeedLabel, hooks: [HookSpec], origin: EventOrigin,
  mark: String
) -> EventRecord? {
  guard let alert = payload.alert, let notify = feed.notify else { return nil }
  let hearing = hooks.filter { hook in
    hook.events.contains(.notification) && hook.hears(of: feed)
      && notify.hooks?.contains(hook.name) ?? true
  }
  guard !hearing.isEmpty else { return nil }
  let contentID = payload.contentID.map { "." + $0 } ?? ""
  let sound = payload.sound == "default" ? notify.sound ?? payload.sound : payload.sound ?? notify.sound
  let message = fixedMessage(
    title: alert.title ?? label.title, body: alert.body,
    identifier: identifierText(feed.name.text + contentID), urgency: payload.urgency ?? notify.urgency,
    link: label.link, count: 0, sound: sound)
  let about = [EventField("feed.title", label.title), EventField("feed.link", label.link)]
  return EventRecord(
    event: origin.event(.notification, feed: feed.name, mark: "push." + mark, about + message),
    hooks: hearing.map(\.name))
}
