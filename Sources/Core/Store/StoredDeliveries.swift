// Values about hook deliveries that the store and the run exchange.

/// The line that a hook printed for the identifier of a notification.
public struct PrintedIdentifier: Hashable, Sendable {
  public var identifier: String
  /// The login session in which the hook ran.
  public var session: String
  /// The line; nil if the hook printed no usable one, which removes the stored line.
  public var text: String?

  public init(identifier: String, session: String, text: String?) {
    self.identifier = identifier
    self.session = session
    self.text = text
  }
}

/// The result of one attempt at a delivery.
public struct DeliveryEnd: Hashable, Sendable {
  /// The new status; `pending` to try again.
  public var status: DeliveryStatus
  /// The earliest moment of the next attempt; nil means at once.
  public var notBefore: Instant?
  /// The error of a failed attempt.
  public var error: String?
  /// Whether the attempt uses up one of the retries.
  public var isCounted = true
  public var printed: PrintedIdentifier?

  public init(
    _ status: DeliveryStatus, notBefore: Instant? = nil, error: String? = nil, isCounted: Bool = true
  ) {
    self.status = status
    self.notBefore = notBefore
    self.error = error
    self.isCounted = isCounted
  }
}

/// The progress of the downloads that a message waits for.
public struct ReadyCounts: Hashable, Sendable {
  /// Files that are placed.
  public var placed = 0
  /// Files whose transfers have settled: placed, failed or cancelled.
  public var settled = 0
  /// All files that were wanted.
  public var all = 0

  public init() {}
}
