// One request as the log of requests keeps it: enough to prove how politely a server was asked.

/// One request of a fetch as the history keeps it; a fetch has one for every hop of a chain of redirects.
public struct RequestRecord: Hashable, Sendable {
  /// When it was sent.
  public var started: Timestamp
  /// How many milliseconds later its answer was whole, or it had failed; nil where the process died first.
  public var milliseconds: Int64?
  /// The address asked, masked; empty where the process died first.
  public var address: String
  /// Whether it carried `If-None-Match`.
  public var sentEntityTag = false
  /// Whether it carried `If-Modified-Since`.
  public var sentModificationDate = false
  /// The status code; nil if there was no answer.
  public var status: Int?
  /// Why there was no answer, in words.
  public var failure: String?
  /// Bytes received on the wire, header not counted; nil if there was no answer.
  public var bytes: Int64?

  /// A request without validators and, so far, without an answer.
  public init(started: Timestamp, address: String) {
    self.started = started
    self.address = address
  }

  /// A request as it was sent to an address that is shown as given.
  public init(_ request: Request, started: Timestamp, shownAs address: String) {
    self.init(started: started, address: address)
    func carries(_ name: String) -> Bool {
      request.fields.contains { $0.name.lowercased() == name }
    }
    sentEntityTag = carries("if-none-match")
    sentModificationDate = carries("if-modified-since")
  }

  /// Whether it was conditional: whether it carried a validator.
  public var wasConditional: Bool { sentEntityTag || sentModificationDate }
}
