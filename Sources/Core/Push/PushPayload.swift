// What a push says. Reading it is FeedReading's business, and what follows from it Planning's.

/// A small JSON payload that makes a feed due at once, or only tells the person something.
///
/// The keys below `aps` are those of Apple's remote notifications ("Generating a remote notification").
public struct PushPayload: Hashable, Sendable {
  /// The feed's name as written; nil where the payload names none.
  public var feed: String?
  /// Whether there is something to fetch: `content-available` is 1.
  public var isContentAvailable = false
  /// What the person is to be told; nil is nothing.
  public var alert: PushAlert?
  /// Whether there is an alert without any text, such as one with keys of texts that an app would look up.
  public var isAlertTextless = false
  /// What the badge is set to; nil leaves it, 0 clears it.
  public var badge: Int?
  /// The name of a sound; nil is the feed's own.
  public var sound: String?
  /// How urgent the alert is; nil is as the feed's messages are.
  public var urgency: Urgency?
  /// The keys beside `aps` that may fill the template of an address: strings and whole numbers, in their order.
  public var values: [PushValue] = []
  /// The whole payload as JSON on one line; what is in its strings may steer a terminal.
  public var text: String

  /// A payload that says nothing yet.
  public init(text: String) {
    self.text = text
  }

  /// What tells pushes of one feed apart: a newer one takes the place of an older one with the same.
  public var contentID: String? { self["content-id"] }

  /// The value of a key beside `aps`; nil if it has none that may fill a template.
  public subscript(name: String) -> String? { values.first { $0.name == name }?.text }
}

/// What a push tells the person.
public struct PushAlert: Hashable, Sendable {
  /// The title; nil is what the feed is called.
  public var title: String?
  /// The body; cleaned of everything that steers a terminal.
  public var body: String

  /// An alert.
  public init(title: String? = nil, body: String) {
    self.title = title
    self.body = body
  }
}

/// A key of a payload with its value.
public struct PushValue: Hashable, Sendable {
  /// The key.
  public var name: String
  /// The value: a string as it is, a whole number in decimal; at most `longest` bytes.
  public var text: String

  /// The most bytes of a value that may fill a template.
  public static let longest = 256

  /// The keys of a payload that are no values.
  public static let reserved: Set = ["aps", "feed"]

  /// A key with its value.
  public init(name: String, text: String) {
    self.name = name
    self.text = text
  }
}
