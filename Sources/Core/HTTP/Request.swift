// One request: what to ask for, what to say, and the limits of the answer.

/// One HTTP request.
///
/// Redirects are answers, not followed.
public struct Request: Hashable, Sendable {
  /// Where to.
  public var address: WebAddress
  /// Header fields in order, `User-Agent`, `Accept` and validators included.
  ///
  /// `Accept-Encoding` is the transfer's own.
  public var fields: [HeaderField]
  /// HTTP Basic credentials.
  public var basic: (username: String, password: String)? {
    get { credentials.map { ($0.username, $0.password) } }
    set { credentials = newValue.map { BasicCredentials(username: $0.username, password: $0.password) } }
  }
  /// Whether `~/.netrc` may supply credentials.
  public var usesNetrc = false
  /// Whether the body goes to a receiver: it is asked for without a content coding, has no end in time, counts against
  /// the rate limit and has connections of its own.
  public var isDownload = false
  /// Which addresses the connection may lead to.
  public var reach: AddressReach = .anywhere
  /// Limits of time, size and speed, the proxy and trusted certificates.
  public var network: NetworkSettings

  private var credentials: BasicCredentials?

  private struct BasicCredentials: Hashable, Sendable {
    var username: String
    var password: String
  }

  /// A request without credentials.
  public init(address: WebAddress, fields: [HeaderField], network: NetworkSettings) {
    self.address = address
    self.fields = fields
    self.network = network
  }
}

/// One header field.
///
/// Names compare without regard to case (RFC 9110 section 5.1).
public struct HeaderField: Hashable, Sendable {
  /// The name as written.
  public var name: String
  /// The value, blanks around it removed.
  public var value: String

  /// A field with its value.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// Which addresses a connection may lead to, checked on the address that was connected.
public enum AddressReach: Hashable, Sendable {
  /// Any: the user wrote the address.
  case anywhere
  /// Public ones, and private ones and this machine's own only in these blocks.
  case publicOr([AddressBlock])

  /// Whether a connection may lead to an address.
  ///
  /// - Parameters:
  ///   - address: where it would lead.
  ///   - isInner: whether the address is private or one of this machine's own.
  /// - Returns: whether it may.
  public func allows(_ address: NetworkAddress, isInner: Bool) -> Bool {
    switch self {
    case .anywhere: true
    case .publicOr(let blocks): !isInner || blocks.contains { $0.contains(address) }
    }
  }
}

/// What came back.
public struct Response: Sendable {
  /// The status code.
  public var status: Int
  /// The header fields of the final answer, in order.
  public var fields: [HeaderField]
  /// The body after decompression; empty for 304.
  public var body: [UInt8]
  /// The address that was connected; nil where it is not known.
  public var connectedTo: NetworkAddress?
  /// The same where it is private or one of this machine's own; nil elsewhere.
  public var innerAddress: NetworkAddress?
  /// Bytes received on the wire, headers not counted.
  public var bytesReceived: Int64

  /// An answer.
  public init(
    status: Int, fields: [HeaderField], body: [UInt8], connectedTo: NetworkAddress? = nil,
    bytesReceived: Int64 = 0
  ) {
    self.status = status
    self.fields = fields
    self.body = body
    self.connectedTo = connectedTo
    self.bytesReceived = bytesReceived
  }

  /// The value of the first field of a name; nil if there is none.
  public subscript(name: String) -> String? {
    fields.first { $0.name.utf8.elementsEqual(name.utf8, by: { $0 | 0x20 == $1 | 0x20 }) }?.value
  }

  /// All values of a name in order, joined with commas (RFC 9110 section 5.3); nil if there is none.
  public func joined(_ name: String) -> String? {
    let values = fields.filter { $0.name.utf8.elementsEqual(name.utf8, by: { $0 | 0x20 == $1 | 0x20 }) }
    return values.isEmpty ? nil : values.map(\.value).joined(separator: ", ")
  }
}
