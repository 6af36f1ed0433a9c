// An event and its fields, in the form in which it is stored and handed to hooks.

/// Something that happened, recorded once.
public struct Event: Hashable, Sendable {
  /// A name that is unique for ever: what a hook may use to recognise a repeated delivery.
  public var id: String
  /// What happened.
  public var kind: EventKind
  /// The feed it is about, if it is about one.
  public var feed: FeedName?
  /// When.
  public var time: Instant
  /// What woke the run.
  public var cause: RunCause
  /// Further fields by their dotted names (`item.title`), in order.
  public var fields: [EventField]

  /// An event with its fields.
  public init(
    id: String, kind: EventKind, feed: FeedName?, time: Instant, cause: RunCause, fields: [EventField]
  ) {
    self.id = id
    self.kind = kind
    self.feed = feed
    self.time = time
    self.cause = cause
    self.fields = fields
  }

  /// The value of a field as text, empty if there is none.
  public func text(_ name: String) -> String {
    fields.first { $0.name == name }?.value.text ?? ""
  }
}

/// A named value of an event.
public struct EventField: Hashable, Sendable {
  /// The dotted name.
  public var name: String
  /// The value.
  public var value: Value

  /// Text, a number, a moment or nothing.
  public enum Value: Hashable, Sendable {
    /// Text; from a feed it is already cleaned.
    case text(String)
    /// A whole number.
    case number(Int64)
    /// A moment; RFC 3339 in JSON and environment.
    case time(Instant)
    /// Nothing.
    case none

    /// The value as a hook's argument shows it.
    public var text: String {
      switch self {
      case .text(let text): text
      case .number(let number): String(number)
      case .time(let instant): instant.rfc3339
      case .none: ""
      }
    }
  }

  /// A field.
  public init(_ name: String, _ value: Value) {
    self.name = name
    self.value = value
  }

  /// A text field; nil gives nothing.
  public init(_ name: String, _ text: String?) {
    self.init(name, text.map(Value.text) ?? .none)
  }

  /// A number field.
  public init(_ name: String, _ number: Int) {
    self.init(name, .number(Int64(number)))
  }
}
