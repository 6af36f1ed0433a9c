// Which addresses a request may reach, and through which proxy.

import CLate
import Core
private import Glibc

extension AddressReach {
  /// Whether a connection to an address is allowed; checked again when libcurl connects (Exchange).
  func allows(_ address: NetworkAddress, _ own: OwnAddresses) -> Bool {
    if case .anywhere = self { return true }
    return allows(address, isInner: own.isInner(address))
  }

  /// Refuses an address whose host is a private number or `localhost`.
  ///
  /// If a proxy looks up names, this is the only possible check.
  func checkLiteral(_ address: WebAddress, _ own: OwnAddresses) throws(FetchFailure) {
    guard case .publicOr = self else { return }
    guard let host = curlHost(of: address) else {
      throw .other("\(address.masked): libcurl does not understand this address")
    }
    if let literal = NetworkAddress.ofHost(host), !allows(literal, own) { throw .privateAddress(host) }
  }
}

/// The host as libcurl understands the address, in lower case and without brackets; nil if libcurl would refuse it.
func curlHost(of address: WebAddress) -> String? {
  var host = [CChar](repeating: 0, count: 1024)
  let isFound = OctetText.withCText(OctetText.encodedAddress(address.text)) { text in
    bgfetch_curl_host_of(text, &host, host.count)
  }
  guard isFound else { return nil }
  return String(upToNUL: host).lowercased().filter { $0 != "[" && $0 != "]" }
}

/// Private addresses and those of this machine, to which a redirect or name of a public server must not lead.
///
/// Services there may be meant only for the machine or its network.
final class OwnAddresses {
  private let read: @Sendable () -> [NetworkAddress]
  private var known: (addresses: Set<NetworkAddress>, since: Int64)?

  /// How long addresses are cached, in milliseconds: reading them takes system calls.
  private static let lifetime: Int64 = 5000

  init(_ read: @escaping @Sendable () -> [NetworkAddress]) { self.read = read }

  /// Whether an address is private or this machine's own.
  func isInner(_ address: NetworkAddress) -> Bool { address.isPrivate || addresses().contains(address) }

  private func addresses() -> Set<NetworkAddress> {
    let now = WallClock.monotonicMilliseconds()
    if let known, now - known.since < Self.lifetime { return known.addresses }
    let addresses = Set(read())
    known = (addresses, now)
    return addresses
  }
}

/// The proxies of the environment, by curl's rules (curl(1), "ENVIRONMENT").
///
/// bgfetch chooses the proxy, because libcurl does not reveal its choice, and the address of a proxied connection is not
/// the server's.
public struct ProxyEnvironment: Sendable {
  private struct Variable {
    let name: String
    let value: String
  }

  private let http: Variable?
  private let https: Variable?
  private let all: Variable?
  private let none: String?

  /// Reads the variables; an empty one counts as unset, and lower case comes first.
  ///
  /// `HTTP_PROXY` is not read: under CGI a client can set it with a header field named Proxy.
  public init(variable: (String) -> String?) {
    func first(_ names: String...) -> Variable? {
      names.compactMap { name in variable(name).map { Variable(name: name, value: $0) } }
        .first { !$0.value.isEmpty }
    }
    http = first("http_proxy")
    https = first("https_proxy", "HTTPS_PROXY")
    all = first("all_proxy", "ALL_PROXY")
    none = first("no_proxy", "NO_PROXY")?.value
  }

  public static func ofProcess() -> ProxyEnvironment {
    ProxyEnvironment { name in getenv(name).map { String(cString: $0) } }
  }

  public static let empty = ProxyEnvironment { _ in nil }

  /// The proxy for an address; nil if there is none or `no_proxy` exempts the host.
  func proxy(for address: WebAddress) throws(FetchFailure) -> ProxyAddress? {
    guard let proxy = (address.scheme == "https" ? https : http) ?? all, !exempts(address.host) else {
      return nil
    }
    return try ProxyAddress(proxy.value, from: proxy.name)
  }

  /// Whether `no_proxy` lists a host: `*`, a domain with its subdomains, an IP address or a block of addresses.
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
  /// The proxy for an address, for `CURLOPT_PROXY`; nil if there is none.
  ///
  /// A proxy in the configuration is for every host; `no_proxy` belongs to the environment.
  func proxy(
    for address: WebAddress, _ environment: ProxyEnvironment
  ) throws(FetchFailure) -> ProxyAddress? {
    switch self {
    case .environment: try environment.proxy(for: address)
    case .none: nil
    case .url(let proxy): proxy.isEmpty ? nil : try ProxyAddress(proxy, from: "network.proxy")
    }
  }
}

extension ProxyAddress {
  /// Reads the value of a key or variable.
  fileprivate init(_ text: String, from name: String) throws(FetchFailure) {
    do throws(TextProblem) {
      self = try ProxyAddress(text)
    } catch {
      throw .proxy("\(name) \(error.text)")
    }
  }
}
