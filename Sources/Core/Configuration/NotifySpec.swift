// Notifications of a feed, and hooks.

/// The notifications of a feed.
public struct NotifySpec: Equatable, Sendable {
  /// The names of the hooks; nil means every hook with the event `notification`.
  public var hooks: [String]?
  /// The configured templates, each for the messages that it fits (`MessageTemplates`).
  public var title: Template?
  public var body: Template?
  /// The template of each item in `{titles}`.
  public var item: Template?
  public var sound: String?
  public var urgency: Urgency = .normal
  /// The template of the identifier; a later notification with the same one replaces the earlier.
  public var identifier: Template?
  /// Whether its news are changes of a page, of which lines are told.
  public var isOfPage = false
  /// The time before delivery, in which more items join the notification.
  public var delay = Interval.zero
  /// Whether a notification waits for the assets of its items.
  public var readiness: NotificationMoment = .ready
  /// The hours in which notifications are delivered.
  public var hours: WeeklyHours = .always
  /// The number of failures in a row before `failing`; 0 is never.
  public var failures = 3

  public init() {}
}

/// The items or events that one message to a hook covers.
public enum NotificationGroup: String, Sendable, CaseIterable {
  case item
  /// All new items of one feed in one run.
  case feed
  /// All new items of one run.
  case run
}

/// When a notification is delivered.
public enum NotificationMoment: String, Sendable, CaseIterable {
  /// When the assets of its items have finished or failed, but at most a day later.
  case ready
  case atOnce = "at-once"

  /// The maximum wait for assets.
  static let longestWait = Interval.hours(24)
}

/// The urgency, with the names of notify-send(1).
public enum Urgency: String, Sendable, CaseIterable {
  case low
  case normal
  case critical
}

/// A program that is run for events, directly and never by a shell; or an address to which events are posted.
public struct HookSpec: Equatable, Sendable {
  public var name: String
  public var events: Set<EventKind>
  /// The program and its arguments; empty for a webhook.
  public var run: [HookArgument]
  /// The address to which events are posted instead of running a program; nil for a program.
  public var webhook: WebhookSpec?
  /// Whether a popup shows each message, and no program is run; messages wait, uncounted, while there is no session bus.
  public var isPopup = false
  /// The items or events that one message covers, apart from a digest.
  public var group: NotificationGroup = .feed
  /// Whether the items of a delivered event count as seen.
  public var marksSeen = false
  /// The feeds whose events it gets, by name, glob or `@tag`; events without a feed always match.
  public var feeds: [String] = ["*"]
  /// The most messages one run delivers before the rest become one; nil means no limit.
  public var limit: Int? = 5
  /// When the collected messages are delivered as one digest; empty for a hook without `digest`.
  public var digest: [CronExpression] = []
  /// Whether the mail of a digest has whole articles instead of summaries.
  public var hasArticles = false
  /// The standard input.
  public var stdin: HookInput = .json
  /// The time limit, after which its process group is killed.
  public var timeout: Interval = .seconds(30)
  /// The maximum number of retries of a delivery.
  public var retries = 5
  /// The age at which a delivery is dropped.
  public var expires: Interval = .hours(12)
  /// Additional environment variables.
  public var environment: [HeaderSpec] = []

  public init(name: String, events: Set<EventKind>, run: [HookArgument]) {
    (self.name, self.events, self.run) = (name, events, run)
  }

  /// Whether the hook gets an event for each placed file of a feed.
  ///
  /// It may then change the file, as taggers do.
  public func getsFiles(of feed: FeedSpec) -> Bool {
    events.contains(.assetPlaced) && covers(feed)
  }

  /// Whether the hook gets a mail for each item, with its article.
  public var mailsArticles: Bool {
    if case .mail = stdin { !isDigest && group == .item } else { false }
  }

  /// Whether the hours of feeds postpone its messages: mail and digests interrupt nobody.
  public var keepsHours: Bool { if case .mail = stdin { false } else { !isDigest } }

  /// Whether a delivery is such a mail, which never joins other messages.
  public func mailsArticle(of delivery: Delivery) -> Bool { mailsArticles && delivery.event.group == .item }

  /// Whether the hook gets the events of a feed.
  public func covers(_ feed: FeedSpec) -> Bool {
    feeds.contains { feed.isSelected(by: $0) }
  }
}

/// An address to which events are posted as JSON.
public struct WebhookSpec: Equatable, Sendable {
  /// The address; `{event-id}` in it is the id of the event.
  public var url: SecretText
  public var method = Method.post
  /// The JSON to send instead of the event, with templates in it.
  public var body: RequestBody?
  /// The key of the signature in `X-Hub-Signature-256`; nil sends none.
  public var secret: Secret?
  /// Additional header fields, in the order of the configuration.
  public var headers: [HeaderSpec] = []

  public init(url: SecretText) { self.url = url }

  public enum Method: String, Sendable, CaseIterable {
    case post = "POST"
    case put = "PUT"
  }
}

public enum HookArgument: Equatable, Sendable {
  case one(Template)
  /// Several arguments, all omitted if a placeholder in them is empty.
  case optional([Template])
}

/// The standard input of a hook.
public enum HookInput: Equatable, Sendable {
  case json
  case none
  case text(Template)
  /// The message as mail (RFC 5322).
  case mail(MailAddresses)
}

/// The addresses in the header of a mail: ASCII, without names.
public struct MailAddresses: Equatable, Sendable {
  var to: [String]
  var from: String

  /// The addresses of a mail that is sent by its first recipient, unless `from` says otherwise.
  public init(to: [String], from: String? = nil) {
    (self.to, self.from) = (to, from ?? to.first ?? "root")
  }
}
