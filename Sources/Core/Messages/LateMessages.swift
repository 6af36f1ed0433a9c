// Messages that come late: after a newer one that has the same identifier, as one does whose hook failed at first.

/// How a message is told, in view of the newer ones that were told before it.
public enum MessageLateness: Hashable, Sendable {
  /// As it is: it is the newest of its identifier.
  case inTime
  /// Beside the newer one, in whose place it must not appear: without an identifier.
  case beside
  /// Not at all: it says how something was, and the newer one how it is.
  case outdated
}

/// Says how a message is told.
///
/// - Parameters:
///   - message: a message whose text was made.
///   - newer: the messages with its identifier that were recorded after it and that its hook was told.
/// - Returns: how it is told, so that no news is lost and no older one takes the place of a newer one.
public func lateness(of message: Delivery, after newer: [Delivery]) -> MessageLateness {
  guard !newer.isEmpty else { return .inTime }
  guard message.group == nil, let subject = subject(message) else { return .beside }
  return newer.contains { $0.group == nil && Core.subject($0) == subject } ? .outdated : .beside
}

/// The fields of a message that neither replaces another one nor is replaced.
public func withoutIdentifier(_ fields: [EventField]) -> [EventField] {
  fields.map { $0.name == "identifier" ? EventField($0.name, EventField.Value.none) : $0 }
}
