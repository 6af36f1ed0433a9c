// Cookies of a browser, from a cookies.txt file as extensions export it: which of them a request carries.
//
// bgfetch sends them, and stores none that servers set. https://curl.se/docs/http-cookies.html describes the format.

/// The cookies of a file that belong to one host.
public struct BrowserCookies: Hashable, Sendable {
  fileprivate var cookies: [Cookie] = []

  fileprivate struct Cookie: Hashable {
    let domain: String
    let coversSubdomains: Bool
    let path: String
    let isSecure: Bool
    let name: String
    let value: String
  }

  /// Reads a file; nil if no line of it is a cookie.
  ///
  /// Only the cookies of `host` are kept: the file of a whole browser has those of the bank too, and a redirect could lead
  /// there.
  public init?(_ text: String, for host: String, at now: Instant) {
    var hasLines = false
    for line in text.split(whereSeparator: \.isNewline) {
      var line = line
      if line.hasPrefix("#HttpOnly_") { line = line.dropFirst("#HttpOnly_".count) }
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
      guard !line.hasPrefix("#"), fields.count == 7, let expires = Int64(fields[4]) else { continue }
      hasLines = true
      let cookie = Cookie(
        domain: String(fields[0].drop { $0 == "." }).lowercased(), coversSubdomains: fields[1] == "TRUE",
        path: String(fields[2]), isSecure: fields[3] == "TRUE", name: String(fields[5]),
        value: String(fields[6]))
      // 0 marks a session cookie, which does not expire by itself.
      let isCurrent = expires == 0 || expires > now.secondsSince1970
      if isCurrent, cookie.isOf(host), cookie.isClean { cookies.append(cookie) }
    }
    guard hasLines else { return nil }
    // Longer paths first (RFC 6265 section 5.4).
    cookies.sort { $0.path.utf8.count > $1.path.utf8.count }
  }

  /// The value of the `Cookie` field for an address; nil without any (RFC 6265 section 5.4).
  func field(for address: WebAddress) -> String? {
    let path = URIReference(address.text).path
    let sent = cookies.filter {
      $0.isOf(address.host) && $0.isFor(path.isEmpty ? "/" : path)
        && (!$0.isSecure || address.scheme == "https")
    }
    return sent.isEmpty ? nil : sent.map { $0.name + "=" + $0.value }.joined(separator: "; ")
  }

  /// The values, which messages must not show.
  var values: [String] { cookies.map(\.value) }
}

extension BrowserCookies.Cookie {
  /// Whether its domain matches a host (RFC 6265 section 5.1.3).
  fileprivate func isOf(_ host: String) -> Bool {
    host == domain || coversSubdomains && host.hasSuffix("." + domain) && NetworkAddress(host) == nil
  }

  /// Whether its path matches that of a request (RFC 6265 section 5.1.4).
  fileprivate func isFor(_ request: String) -> Bool {
    request == path
      || request.hasPrefix(path) && (path.hasSuffix("/") || request.dropFirst(path.count).first == "/")
  }

  /// Whether it can be sent in a header field.
  fileprivate var isClean: Bool {
    !domain.isEmpty && !name.isEmpty
      && (name + value).utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != 0x3B }
  }
}
