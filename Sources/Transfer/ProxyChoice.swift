// Which proxy a request goes through. We decide, and tell libcurl: it cannot be asked, and whether there is a
// proxy says whose address a connection's is.

import Core
private import Glibc

/// What the environment says of proxies, by curl's rules (curl(1), "ENVIRONMENT").
public struct ProxyEnvironment: Hashable, Sendable {
  private let http: String?
  private let https: String?
  private let all: String?
  private let none: String?

  /// Reads the variables; one that is empty is as good as unset.
  ///
  /// Lower case comes first. `HTTP_PROXY` is not read: a web server sets it from a request's `Proxy` field when
  /// it runs a program as CGI.
  public init(variable: (String) -> String?) {
    func first(_ names: String...) -> String? {
      names.lazy.compactMap(variable).first { !$0.isEmpty }
    }
    http = first("http_proxy")
    https = first("https_proxy", "HTTPS_PROXY")
    all = first("all_proxy", "ALL_PROXY")
    none = first("no_proxy", "NO_PROXY")
  }

  /// The environment of this process, as it is now.
  public static func ofProcess() -> ProxyEnvironment {
    ProxyEnvironment { name in getenv(name).map { String(cString: $0) } }
  }

  /// No variable is set.
  public static let empty = ProxyEnvironment { _ in nil }

  /// The proxy for an address; nil if there is none or `no_proxy` exempts the host.
  func proxy(for address: WebAddress) -> String? {
    guard let proxy = (address.scheme == "https" ? https : http) ?? all else { return nil }
    return exempts(address.host) ? nil : proxy
  }

  /// Whether a host is listed in `no_proxy`: `*`, a domain with all below it, an IP address or a block of them.
  private func exempts(_ host: String) -> Bool {
    guard let none else { return false }
    let host = host.hasSuffix(".") ? String(host.dropLast()) : host
    let ip = NetworkAddress(host)
    return none.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }).contains { entry in
      if entry == "*" { return true }
      if let ip {
        let bare = entry.filter { $0 != "[" && $0 != "]" }
        return AddressBlock(bare)?.contains(ip) ?? false
      }
      var domain = entry.lowercased()
      if domain.hasPrefix(".") { domain.removeFirst() }
      if domain.hasSuffix(".") { domain.removeLast() }
      return !domain.isEmpty && (host == domain || host.hasSuffix("." + domain))
    }
  }
}

extension ProxyRule {
  /// The proxy for an address as libcurl's `CURLOPT_PROXY` takes it; nil if there is none.
  ///
  /// A proxy that the configuration names is used for every host; `no_proxy` belongs to the environment.
  func proxy(for address: WebAddress, _ environment: ProxyEnvironment) -> String? {
    switch self {
    case .environment: environment.proxy(for: address)
    case .none: nil
    case .url(let proxy): proxy.isEmpty ? nil : proxy
    }
  }
}
