// HTTP as pure values and rules. This file: one request, its response and its record. Machine sends requests.
//
// Doors of this folder: WebAddress and URIReference, NetworkAddress, RequestChain (redirects, also permanent ones), FeedAccess (a feed's
// address with its secrets), RequestBody and Cookies, ResponseMeaning, Caching (validators, freshness, Retry-After),
// HeaderFields (parsers of fields), Masking (secrets that servers repeat).

/// One HTTP request; a redirect is its response.
public struct Request: Sendable {
  public var address: WebAddress
  /// Header fields in order, including `User-Agent`, `Accept` and validators, but not `Accept-Encoding`.
  public var fields: [HeaderField]
  /// The cookies from which libcurl takes those for the address.
  public var cookies = CookieJar()
  /// The body of a POST; nil for a GET.
  public var body: [UInt8]?
  /// The method; nil for a GET, and for a POST or PUT, which have a body.
  public var method: Method?
  /// The region for whose S3 service name and password sign the request, and are not sent.
  public var signedRegion: String?
  /// The credentials; a bearer token is also a field.
  public var credentials: FeedAccess.Credentials?
  /// Whether the body goes to a receiver.
  ///
  /// Such a request asks for no content coding, has no timeout, counts against the rate limit and uses its own
  /// connections.
  public var isDownload = false
  /// Whether the body of a 2xx is read; otherwise only status and fields count.
  public var wantsBody = true
  /// Whether the body of an error is read.
  public var wantsErrors = false
  /// The addresses that the connection may use.
  public var reach: AddressReach = .anywhere
  public var network: NetworkSettings

  /// A method that no body tells.
  public enum Method: Sendable {
    case head, delete, put
  }

  public init(address: WebAddress, fields: [HeaderField], network: NetworkSettings) {
    (self.address, self.fields, self.network) = (address, fields, network)
  }
}

/// A client certificate and its private key, as PEM files.
public struct ClientCertificate: Equatable, Sendable {
  public var file: String
  public var key: String
  /// The password that decrypts the key; nil if the key is not encrypted.
  public var password: String?

  public init(file: String, key: String, password: String? = nil) {
    (self.file, self.key, self.password) = (file, key, password)
  }
}

/// One header field.
public struct HeaderField: Equatable, Sendable {
  public var name: String
  /// The value without blanks around it.
  public var value: String

  public init(_ name: String, _ value: String) {
    (self.name, self.value) = (name, value)
  }

  /// Whether the field has a name, in any case of letters (RFC 9110 section 5.1).
  public func isNamed(_ name: String) -> Bool {
    // Most names differ in length or in the first letter, or are spelled alike.
    guard self.name.utf8.count == name.utf8.count else { return false }
    if self.name == name { return true }
    for (own, other) in zip(self.name.utf8, name.utf8) where asciiLowercased(own) != asciiLowercased(other) {
      return false
    }
    return true
  }
}

/// The addresses that a connection may use, checked on the connected address.
public enum AddressReach: Equatable, Sendable {
  /// Any address, because the user wrote it.
  case anywhere
  /// Public addresses; private addresses and this machine's own only in these blocks.
  case publicOr([AddressBlock])

  /// Whether a connection may use an address; `isInner` means private or one of this machine's own.
  public func allows(_ address: NetworkAddress, isInner: Bool) -> Bool {
    switch self {
    case .anywhere: true
    case .publicOr(let blocks): !isInner || blocks.contains { $0.contains(address) }
    }
  }
}

/// The response to one request.
public struct Response: Sendable {
  public var status: Int
  /// The header fields in order.
  public var fields: [HeaderField]
  /// The cookies of the request as the response has changed them.
  public var cookies = CookieJar()
  /// The body after decompression.
  public var body: [UInt8]
  /// The connected address if it is private or one of this machine's own.
  public var innerAddress: NetworkAddress?
  /// Bytes received on the wire, without headers.
  public var bytesReceived: Int64

  public init(status: Int, fields: [HeaderField] = [], body: [UInt8] = [], bytesReceived: Int64 = 0) {
    (self.status, self.fields, self.body, self.bytesReceived) = (status, fields, body, bytesReceived)
  }

  /// The value of the first field with a name.
  public subscript(name: String) -> String? {
    fields.first { $0.isNamed(name) }?.value
  }

  /// The schemes of the challenges in `WWW-Authenticate`, in lower case (RFC 9110 section 11.6.1).
  ///
  /// Parameters, which commas also separate, are among them and match no scheme.
  var challengedSchemes: [String] {
    (joined("WWW-Authenticate") ?? "").lowercased().split(separator: ",")
      .compactMap { $0.split(separator: " ").first.map(String.init) }
  }

  /// All values of a name, joined with commas (RFC 9110 section 5.3).
  public func joined(_ name: String) -> String? {
    let values = fields.filter { $0.isNamed(name) }
    return values.isEmpty ? nil : values.map(\.value).joined(separator: ", ")
  }
}

/// Receives the body of one response.
///
/// The thread that owns libcurl makes the calls, one at a time. A call that blocks delays all transfers.
public protocol BodyReceiver: AnyObject {
  /// Called when the request is sent; before that, it waits for its turn.
  func begin()

  /// Receives the complete head of a 2xx response, once and before the first byte, even if the body is empty.
  func begin(_ head: Response) -> BodyVerdict

  /// Receives the next bytes, which are valid only during the call.
  func receive(_ bytes: UnsafeRawBufferPointer) -> BodyVerdict

  /// Called when a whole body has ended.
  func end() -> BodyVerdict
}

extension BodyReceiver {
  public func begin() {}

  public func begin(_ head: Response) -> BodyVerdict { .proceed }

  public func end() -> BodyVerdict { .proceed }
}

/// How a receiver wants to continue.
public enum BodyVerdict: Equatable, Sendable {
  case proceed
  /// The same, without the content coding that the server used although the request did not allow it; only for a head.
  case decode
  /// Nothing more is needed; the request ends without a failure.
  case enough
  case failed(FetchFailure)
}

/// One request in the history; a fetch has one for every hop of its redirects.
public struct RequestRecord: Equatable, Sendable {
  /// The time of sending.
  public var started: Timestamp
  /// The time until the complete response or failure; nil if the process died first.
  public var milliseconds: Int64?
  /// The masked address; empty if the process died first.
  public var address: String
  /// Whether the request had `If-None-Match`.
  public var sentEntityTag = false
  /// Whether the request had `If-Modified-Since`.
  public var sentModificationDate = false
  /// The status code; nil without a response.
  public var status: Int?
  /// The reason why there is no response.
  public var failure: String?
  /// Bytes received on the wire, without headers; nil without a response.
  public var bytes: Int64?

  public init(started: Timestamp, address: String) {
    (self.started, self.address) = (started, address)
  }

  /// The record of a request just sent; `address` is the masked one.
  public init(_ request: Request, started: Timestamp, shownAs address: String) {
    self.init(started: started, address: address)
    func carries(_ name: String) -> Bool { request.fields.contains { $0.isNamed(name) } }
    sentEntityTag = carries("If-None-Match")
    sentModificationDate = carries("If-Modified-Since")
  }

  public var wasConditional: Bool { sentEntityTag || sentModificationDate }
}
