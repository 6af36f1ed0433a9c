// The cookies that a request carries: those of a browser, from a cookies.txt file as extensions export it, and the cookies that
// servers set on the way to a document. The latter end with the chain of requests and are never stored.
//
// https://curl.se/docs/http-cookies.html describes the format of the file.

/// The cookies of a file that belong to one host.
public struct BrowserCookies: Hashable, Sendable {
  fileprivate var cookies: [Cookie] = []

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

  /// The values, which messages must not show.
  var values: [String] { cookies.map(\.value) }
}

/// The cookies that servers set during one chain of requests.
struct ChainCookies: Hashable, Sendable {
  private var cookies: [Cookie] = []

  /// The most cookies of a chain.
  private static let mostCookies = 50
  /// The most bytes of a `Cookie` field, and of the cookies that servers set in it: curl's limit.
  private static let mostBytes = 8190

  /// Takes the cookies that a response sets, and drops the cookies that it deletes (RFC 6265 section 5.3).
  mutating func store(_ response: Response, from address: WebAddress) {
    let set = response.fields.filter { $0.isNamed("Set-Cookie") }
    guard !set.isEmpty else { return }
    // Only the server's clock can tell whether its cookies are deleted.
    let now = response["Date"].flatMap { Instant(httpDate: $0) }
    for field in set.prefix(Self.mostCookies) {
      guard let (cookie, isDeleted) = Cookie.set(by: field.value, from: address, at: now) else { continue }
      let former = cookies.firstIndex { $0.replaces(cookie) }
      if let former {
        // A server without TLS may be anybody (RFC 6265bis section 5.7).
        guard !cookies[former].isSecure || address.scheme == "https" else { continue }
        cookies.remove(at: former)
      }
      if !isDeleted, cookies.count < Self.mostCookies { cookies.insert(cookie, at: former ?? cookies.count) }
    }
  }

  /// The value of the `Cookie` field for an address; nil without any.
  ///
  /// - Parameter configured: the cookies of the user; one that a server has set meanwhile replaces the one of its name.
  func field(for address: WebAddress, over configured: BrowserCookies? = nil) -> String? {
    let set = cookies.sent(to: address)
    let names = Set(set.map(\.name))
    return joined(set + (configured?.cookies.sent(to: address).filter { !names.contains($0.name) } ?? []))
  }

  /// The same with a configured `Cookie` field, whose cookies are never replaced.
  func field(for address: WebAddress, besides configured: String) -> String? {
    let names = Set(configured.split(separator: ";").map { $0.prefix { $0 != "=" }.drop { $0 == " " } })
    let set = joined(cookies.sent(to: address).filter { !names.contains(Substring($0.name)) })
    return set.map { configured.isEmpty ? $0 : configured + "; " + $0 }
  }

  private func joined(_ cookies: [Cookie]) -> String? {
    var value = ""
    // Longer paths first (RFC 6265 section 5.4); the sort keeps the order of others.
    for cookie in cookies.sorted(by: { $0.path.utf8.count > $1.path.utf8.count }) {
      let next = (value.isEmpty ? "" : "; ") + cookie.name + "=" + cookie.value
      if value.utf8.count + next.utf8.count <= Self.mostBytes { value += next }
    }
    return value.isEmpty ? nil : value
  }
}

private struct Cookie: Hashable {
  let domain: String
  let coversSubdomains: Bool
  let path: String
  let isSecure: Bool
  let name: String
  let value: String
}

extension [Cookie] {
  /// The cookies that a request to an address carries (RFC 6265 section 5.4).
  fileprivate func sent(to address: WebAddress) -> [Cookie] {
    let path = URIReference(address.text).path
    return filter {
      $0.isOf(address.host) && $0.isFor(path.isEmpty ? "/" : path)
        && (!$0.isSecure || address.scheme == "https")
    }
  }
}

extension Cookie {
  /// The cookie of a `Set-Cookie` field, and whether the field deletes it; nil if the server may not set it.
  ///
  /// As in curl, a cookie is for the host that sets it or for a domain above it, but not for a whole top-level domain,
  /// and a secure one comes over https only.
  static func set(
    by field: String, from address: WebAddress, at now: Instant?
  ) -> (cookie: Cookie, isDeleted: Bool)? {
    let parts = field.split(separator: ";", omittingEmptySubsequences: false)
    guard field.utf8.count <= 8192, let pair = parts.first, let equals = pair.firstIndex(of: "=") else {
      return nil
    }
    var attributes: [String: String] = [:]
    for part in parts.dropFirst() {
      let name = part.prefix { $0 != "=" }
      attributes[trimmedOfBlanks(name).lowercased()] = trimmedOfBlanks(part[name.endIndex...].dropFirst())
    }
    let isSecure = attributes["secure"] != nil
    guard !isSecure || address.scheme == "https" else { return nil }
    var domain = String((attributes["domain"] ?? "").drop { $0 == "." }).lowercased()
    let coversSubdomains = !domain.isEmpty && isDomainOfOneOwner(domain)
    if domain != address.host, !domain.isEmpty {
      guard coversSubdomains, address.host.hasSuffix("." + domain), NetworkAddress(address.host) == nil else {
        return nil
      }
    }
    if domain.isEmpty { domain = address.host }
    let asked = URIReference(address.text).path
    let folder = asked.lastIndex(of: "/").map { asked[..<$0] } ?? ""
    let path =
      attributes["path"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? (folder.isEmpty ? "/" : String(folder))
    let cookie = Cookie(
      domain: domain, coversSubdomains: coversSubdomains, path: path, isSecure: isSecure,
      name: trimmedOfBlanks(pair[..<equals]), value: trimmedOfBlanks(pair[equals...].dropFirst()))
    let name = cookie.name.lowercased()
    guard cookie.isClean, cookie.name.utf8.count + cookie.value.utf8.count <= 4096,
      isSecure || !name.hasPrefix("__secure-") && !name.hasPrefix("__host-"),
      !name.hasPrefix("__host-") || attributes["domain"] == nil && attributes["path"] == "/"
    else { return nil }
    return (cookie, isDeleted(attributes, at: now))
  }

  private static func isDeleted(_ attributes: [String: String], at now: Instant?) -> Bool {
    if let age = attributes["max-age"].flatMap({ Int64($0) }) { return age <= 0 }
    let expires = attributes["expires"].flatMap { Instant(httpDate: $0) }
    return expires.map { $0 <= now ?? Instant(secondsSince1970: 0) } ?? false
  }

  /// Whether a domain can belong to one owner: it is neither an address, nor one label, nor like `co.uk`.
  private static func isDomainOfOneOwner(_ domain: String) -> Bool {
    let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count > 1, labels.allSatisfy({ !$0.isEmpty }), NetworkAddress(domain) == nil else {
      return false
    }
    let shared: Set<Substring> = ["ac", "co", "com", "edu", "go", "gov", "ne", "net", "or", "org"]
    return labels.count > 2 || labels[1].utf8.count > 2 || !shared.contains(labels[0])
  }

  /// Whether both are the same cookie, whose value changes.
  fileprivate func replaces(_ other: Cookie) -> Bool {
    name == other.name && domain == other.domain && path == other.path
  }

  /// Whether its domain matches a host (RFC 6265 section 5.1.3).
  fileprivate func isOf(_ host: String) -> Bool {
    host == domain || coversSubdomains && host.hasSuffix("." + domain) && NetworkAddress(host) == nil
  }

  /// Whether its path matches the path of a request (RFC 6265 section 5.1.4).
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
