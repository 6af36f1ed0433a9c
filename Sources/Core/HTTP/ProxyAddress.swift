// The address of a proxy. libcurl takes a part of a password for the host or the port, and shows the whole in its messages.

/// The address of a proxy in libcurl's form: `[scheme://][user[:password]@]host[:port]`.
public struct ProxyAddress: Hashable, Sendable {
  public let text: String
  /// Its user name and password, as written and decoded.
  public let hidden: HiddenWords

  /// The environment variables with such addresses, those of other programs included.
  public static let variables: Set = [
    "http_proxy", "https_proxy", "all_proxy", "ftp_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
    "FTP_PROXY",
  ]

  private static let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

  /// - Throws: the mistake in a text that is no such address.
  public init(_ text: String) throws(ProxyMistake) {
    self.text = text
    // A password may contain anything, also an address.
    let at = text.utf8.lastIndex(of: UInt8(ascii: "@"))
    var rest = text.utf8[...]
    if let colon = rest.firstIndex(of: UInt8(ascii: ":")), colon < at ?? rest.endIndex {
      let scheme = String(decoding: rest[..<colon], as: UTF8.self).lowercased()
      let after = rest[rest.index(after: colon)...]
      // libcurl has this word for socks4, too.
      let isKnown = (Self.schemes + ["socks"]).contains(scheme)
      if after.starts(with: "//".utf8) {
        guard isKnown else { throw .scheme(nearest(scheme, among: Self.schemes)?.word) }
        rest = after.dropFirst(2)
      } else if isKnown, !(after.first?.isASCIIDigit ?? false) {
        throw .scheme(scheme)
      }
    }
    var words: [String] = []
    if let at {
      let user = rest[..<at]
      if let wrong = user.first(where: { $0 <= 0x20 || $0 == 0x7F || "/?#\\@".utf8.contains($0) }) {
        throw .user(wrong)
      }
      let parts = user.split(separator: UInt8(ascii: ":"), maxSplits: 1) + [user]
      words = parts.map { String(decoding: $0, as: UTF8.self) }
      rest = rest[rest.index(after: at)...]
    }
    hidden = HiddenWords((words + words.map(percentDecoded)).filter { $0.utf8.count >= 4 })
    guard WebAddress("http://" + String(decoding: rest, as: UTF8.self)) != nil else { throw .place }
  }
}

/// A mistake in the address of a proxy; it has nothing of the address that may be secret.
public enum ProxyMistake: Error, Hashable, Sendable {
  /// It begins with an unknown scheme, or has no `//` after it; the one that was probably meant.
  case scheme(String?)
  /// A byte in the user name or password that has to be encoded.
  case user(UInt8)
  /// The host or the port.
  case place

  /// The words that follow the name of the key or variable, and the cure.
  public var text: (what: String, cure: String) {
    switch self {
    case .scheme(let near):
      ("does not begin with the scheme of a proxy", "write \(near ?? "http")://HOST:PORT")
    case .user(let byte):
      (
        byte > 0x20 && byte < 0x7F
          ? "has a \"\(Unicode.Scalar(byte))\" in the user name or password"
          : "has a blank or control character in the user name or password",
        "write %\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true)) for it"
      )
    case .place:
      ("has no valid host and port", "write http://HOST:PORT, with a port from 1 to 65535")
    }
  }
}
