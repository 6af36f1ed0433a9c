// How what is new in a feed is announced.

/// How what is new in a feed becomes messages.
public struct NotifySpec: Hashable, Sendable {
  /// The hooks that are told, by name; nil is every hook with the event `notification`.
  public var hooks: [String]?
  /// What one message covers.
  public var group: NotificationGroup = .feed
  /// The title's template.
  public var title = Template(literal: "")
  /// The body's template.
  public var body = Template(literal: "")
  /// A sound's name, or nothing.
  public var sound: String?
  /// How urgent the message is.
  public var urgency: Urgency = .normal
  /// The template of the identifier; a later message with the same one replaces the earlier.
  public var identifier = Template(literal: "")
  /// How long a message waits before it is told; one about the same that comes meanwhile is part of it.
  public var delay = Interval.zero
  /// Whether a message waits for its items' files.
  public var readiness: NotificationMoment = .ready
  /// The hours outside of which messages are held back.
  public var hours: WeeklyHours = .always
  /// Failures in a row before `failing`; 0 is never.
  public var failures = 3

  /// Announcing to all hooks, one message a feed and run.
  public init() {}
}

/// What one message covers.
public enum NotificationGroup: String, Hashable, Sendable, CaseIterable {
  /// One item.
  case item
  /// What is new in one feed in one run.
  case feed
  /// What is new in one run.
  case run
}

/// When a message is told.
public enum NotificationMoment: String, Hashable, Sendable, CaseIterable {
  /// When the assets of its items are settled, at most a day later.
  case ready
  /// At once.
  case atOnce = "at-once"

  /// How long a message waits for files at most (DESIGN 6, Notifications).
  public static let longestWait = Interval.hours(24)
}

/// How urgent a message is, with the names notify-send(1) knows.
public enum Urgency: String, Hashable, Sendable, CaseIterable {
  /// Low.
  case low
  /// Normal.
  case normal
  /// Critical.
  case critical
}
