// Events: something that happened, recorded once and delivered to each hook that subscribes to its kind, with the items that it names.

/// Something that happened, recorded once.
public struct Event: Equatable, Sendable {
  /// A name that is never used again, by which a hook can recognise a repeated delivery.
  public var id: String
  /// The kind of event.
  public var kind: EventKind
  public var feed: FeedName?
  public var time: Instant
  public var cause: RunCause
  /// Further fields by their dotted names (`item.title`): texts, numbers, and the items of a message.
  public var fields: JSONValue
  /// The items that a message covers, and from which its text is made when it is first delivered; nil for other events, and for
  /// messages whose fields have the text from the start.
  public var group: NotificationGroup?
  /// The details of its item as they are at the delivery; events are stored without them.
  public var details: ItemDetails?
  /// The items of a mail with what it shows of them, as they are at the delivery; events are stored without them.
  public var mailed: [StoredItem] = []
  /// The feed of the item that a mail is about; events are stored without it.
  public var source: FeedSpec?

  public init(
    id: String, kind: EventKind, feed: FeedName?, time: Instant, cause: RunCause, fields: JSONValue,
    group: NotificationGroup? = nil
  ) {
    (self.id, self.kind, self.feed, self.time, self.cause) = (id, kind, feed, time, cause)
    (self.fields, self.group) = (fields, group)
  }

  /// Whether the text of a notification was made at an earlier delivery; it is the same at every further one.
  public var isFrozen: Bool { fields["badge"] != nil }

  /// Whether it is about one item, so that its deliveries have the details of that item.
  public var hasItem: Bool {
    [.newItem, .assetPlaced, .transferFailed, .authRequired].contains(kind)
  }

  /// The item that a mail is about; nil for a digest and for other messages.
  public var item: StoredItem? { kind == .digest ? nil : mailed.first }

  /// Whether it is a message about an item that was updated.
  var isUpdate: Bool { id.split(separator: "/").last?.hasPrefix(Self.markOfUpdate) ?? false }

  /// The beginning of the mark in the id of such a message.
  static let markOfUpdate = "u"

  /// The items of a message or digest, newest first; at most `EventItem.most` or `mostInDigest`.
  public var items: [EventItem] { fields.eventItems }

  /// The value of a field as text, empty if there is none.
  public func text(_ name: String) -> String { fields.fieldText(name) }
}

extension Event {
  /// The fields as the store keeps them, with the group.
  public var storedFields: JSONValue {
    group.map { JSONValue(["group": $0.rawValue]).adding(fields) } ?? fields
  }

  /// Takes over fields that the store kept.
  public mutating func restore(_ text: String) {
    let members = JSONValue(parsing: text)?.members ?? []
    group = members.first { $0.name == "group" }.flatMap { NotificationGroup(rawValue: $0.value.argument) }
    fields = .object(members.filter { $0.name != "group" })
  }
}

// The fields of an event.
extension JSONValue {
  /// The items of a message.
  var eventItems: [EventItem] { self["items"]?.elements.compactMap(EventItem.init) ?? [] }

  /// The value of a field as a hook's argument shows it, empty if there is none.
  func fieldText(_ name: String) -> String { self[name]?.argument ?? "" }

  /// A text or number as a hook's argument shows it; empty for another value.
  var argument: String {
    switch self {
    case .string(let text): text
    case .number(let number): String(number)
    default: ""
    }
  }

  /// The object with another value of one of its members.
  func replacing(_ name: String, with value: String?) -> JSONValue {
    .object(members.map { $0.name == name ? (name, .text(value)) : $0 })
  }
}

/// The events a hook can subscribe to.
public enum EventKind: String, Sendable, CaseIterable {
  /// A message for the person is due.
  case notification
  /// The messages that a hook with `digest` collected, as one.
  case digest
  /// An item is new.
  case newItem = "new-item"
  /// The result of a fetch: something new.
  case newData = "new-data"
  /// The result of a fetch: nothing new.
  case noData = "no-data"
  /// The result of a fetch: a failure.
  case failed
  /// A feed failed several times in a row.
  case failing
  /// The first success after `failing`.
  case recovered
  /// A download was placed in the documents directory.
  case assetPlaced = "asset-placed"
  /// A transfer failed and will not be retried.
  case transferFailed = "transfer-failed"
  /// A server wants credentials for an asset.
  case authRequired = "auth-required"
  /// The last unsettled transfer of a feed settled.
  case sessionFinished = "session-finished"
  /// A push was received.
  case pushReceived = "push-received"
  /// The badge file changed.
  case badgeChanged = "badge-changed"
  /// A run began that has something to do.
  case runStarted = "run-started"
  /// The budget of a run is about to end.
  case runExpired = "run-expired"
  /// A run that had something to do ended.
  case runFinished = "run-finished"

  /// The kinds that `events` of a hook may name; only a hook with `digest` gets digests.
  public static let subscribable = allCases.filter { $0 != .digest }

  /// Whether a delivery that fails is not tried again.
  public var isBestEffort: Bool {
    [.noData, .badgeChanged, .runStarted, .runExpired, .runFinished].contains(self)
  }
}

/// The cause of a run.
public enum RunCause: String, Sendable, CaseIterable {
  /// cron or a systemd timer.
  case timer
  /// A push.
  case push
  /// A person.
  case manual
  /// `run --watch`.
  case watch
}

/// The round or the command that an event belongs to, and what woke it.
public struct EventOrigin: Sendable {
  /// The number of the round in the store; nil for a command.
  public var round: Int64?
  /// Begins the ids of its events; never used again.
  public var id: String
  public var time: Instant
  public var cause: RunCause

  public init(round: Int64? = nil, time: Instant, cause: RunCause) {
    id = "\(time.secondsSince1970)-\(round ?? 0)"
    (self.round, self.time, self.cause) = (round, time, cause)
  }

  /// One of its events; `mark` distinguishes it from others of its kind and feed.
  public func event(
    _ kind: EventKind, feed: FeedName? = nil, mark: String = "", _ fields: JSONValue = .object([]),
    group: NotificationGroup? = nil
  ) -> Event {
    // A feed name has no slash, and every part has its place, so different events never share an id.
    let id = [id, kind.rawValue, feed?.text ?? "", mark].joined(separator: "/")
    return Event(id: id, kind: kind, feed: feed, time: time, cause: cause, fields: fields, group: group)
  }
}

/// An event to be recorded, with the hooks that receive it.
public struct EventRecord: Equatable, Sendable {
  public var event: Event
  public var hooks: [String]
  /// The items of a notification, as indices into the new items of the same commit.
  public var newItems: [Int] = []
  /// The items of a notification that were known before, by number.
  public var knownItems: [Int64] = []
  /// The moment a message is postponed to by its feed's hours, or nil.
  public var postponedUntil: Instant?
  /// The hooks for which no hours postpone it.
  public private(set) var unpostponed: Set<String> = []
  /// The latest moment until which a message waits for files, or nil if it does not wait.
  public var readyBy: Instant?
  /// When a delayed message is due (`notify.delay`); nil means at once.
  public var triggerAt: Instant?
  /// When the digests of hooks with `digest` are due, by hook; the three moments above do not apply to these.
  public var digests: [String: Instant] = [:]

  public init(event: Event, hooks: [String]) {
    (self.event, self.hooks) = (event, hooks)
  }

  public init(event: Event, subscribers: [HookSpec]) {
    self.init(event: event, hooks: subscribers.map(\.name))
    unpostponed = Set(subscribers.lazy.filter { !$0.keepsHours }.map(\.name))
  }
}

/// An item of a message: what a program needs to show it, open it or mark it as seen.
public struct EventItem: Equatable, Sendable {
  /// The name of the item, never empty.
  var title: String
  /// Its page, http or https; empty if it has none.
  var link: String
  /// The identity that `bgfetch seen --item` accepts.
  var id: String
  var feed: FeedName
  var feedTitle: String
  var published: Instant?
  /// The absolute paths of its downloaded files.
  var files: [String]
  /// The number by which commands select it; 0 if the event was stored without it.
  public var number: Int64
  /// The lines of a change of a watched page: a sign and a text each, and perhaps how many more there are.
  public var changes: [String] = []

  public init(
    title: String, link: String, id: String, feed: FeedName, feedTitle: String, published: Instant?,
    files: [String] = [], number: Int64 = 0
  ) {
    (self.title, self.link, self.id, self.feed, self.feedTitle) = (title, link, id, feed, feedTitle)
    (self.published, self.files, self.number) = (published, files, number)
  }

  /// The most items in the event of a message; `count` has the number of all.
  static let most = 100
  /// The most items in a digest.
  static let mostInDigest = 500
  /// The most files that are listed of one item.
  static let mostFiles = 20
}

extension EventItem: JSONConvertible {
  /// A stored item for hooks; its texts are clean already, and links are http or https.
  init(_ item: StoredItem, label: FeedLabel?, files: [String], isPage: Bool) {
    self.init(
      title: itemTitle(item.record), link: webLink(item.record.link), id: cleanText(item.id, limit: 1024),
      feed: item.feed, feedTitle: label?.title ?? item.feed.text, published: item.record.published,
      files: Array(files.prefix(Self.mostFiles)), number: item.number)
    if isPage { changes = item.record.changedLines }
  }

  /// An item in the JSON of an event.
  init?(_ json: JSONValue) {
    guard let feed = FeedName(json.fieldText("feed")) else { return nil }
    func texts(_ name: String) -> [String] { json[name]?.elements.compactMap(\.string) ?? [] }
    self.init(
      title: json.fieldText("title"), link: json.fieldText("link"), id: json.fieldText("id"), feed: feed,
      feedTitle: json.fieldText("feed-title"), published: Instant(rfc3339: json.fieldText("published")),
      files: texts("files"), number: json["number"]?.whole ?? 0)
    changes = texts("changes")
  }

  /// The item in the JSON of an event.
  public var json: JSONValue {
    JSONValue([
      "title": title, "link": link.isEmpty ? nil : link, "id": id, "feed": feed, "feed-title": feedTitle,
      "published": published, "files": files, "number": number > 0 ? number : nil,
      "changes": changes.isEmpty ? nil : changes,
    ])
  }
}

/// The placeholders that need the details of an item, which the store reads only if one of them is used.
public let detailPlaceholders: Set = [
  "item.content", "item.content.text", "item.categories", "item.comments", "item.image", "item.duration",
  "item.season", "item.episode",
]

extension Template {
  /// Whether the template needs the details of an item.
  public var usesDetails: Bool { placeholders.contains(where: detailPlaceholders.contains) }
}

extension NotifySpec {
  /// Whether its messages need the details of items.
  public var usesDetails: Bool { [title, body, identifier].contains { $0?.usesDetails ?? false } }
}

extension ItemDetails {
  /// The value of a placeholder; nil if it is not one of `detailPlaceholders`, empty if the item lacks the part.
  ///
  /// Content keeps its lines and blanks, and everything else is on one line. Terminal escape sequences are removed.
  ///
  /// - Parameters:
  ///   - name: the placeholder.
  ///   - limit: the most bytes of content, as HTML or as text.
  func text(_ name: String, limit: Int) -> String? {
    switch name {
    case "item.content": content.map { graphemePrefix(of: cleanCode($0), limit: limit) } ?? ""
    case "item.content.text":
      content.map { ArticleText(html: $0, numbersLinks: false, limit: limit).text } ?? ""
    case "item.categories": categories.joined(separator: ", ")
    case "item.comments": comments ?? ""
    case "item.image": picture ?? ""
    case "item.duration": duration?.playingTime ?? ""
    case "item.season": season.map(String.init) ?? ""
    case "item.episode": episode.map(String.init) ?? ""
    default: nil
    }
  }
}

extension ItemDetails {
  /// The part of the content that is not stored as JSON; nil if the content is whole.
  ///
  /// - Parameter command: the command that shows the article on its page.
  public func rest(_ command: String?) -> JSONValue? {
    rest.map { JSONValue(["bytes": $0.bytes, "command": command]) }
  }
}

/// The details of an item as members of its JSON object; all of them `null` or empty without details.
///
/// The content is HTML with absolute addresses; the duration is in seconds.
///
/// - Parameter command: the command that shows the article on its page.
public func detailMembers(_ details: ItemDetails?, command: String? = nil) -> JSONValue {
  let details = details ?? ItemDetails()
  return JSONValue([
    "content": details.content, "rest": details.rest(command), "categories": details.categories,
    "comments": details.comments,
    "image": details.picture, "duration": details.duration?.seconds, "season": details.season,
    "episode": details.episode, "enclosures": details.enclosures.map(enclosureJSON),
  ])
}

/// A file that an item refers to, as JSON.
public func enclosureJSON(_ enclosure: Enclosure) -> JSONValue {
  JSONValue(["url": enclosure.url, "type": enclosure.type, "length": enclosure.length])
}
