// Where feeds are at home, so that no feed can make the item of another one a repetition by naming its link first.

/// The hosts whose links are a feed's own, as far as that is known.
///
/// The host of the configured address is certain, because the person wrote it. The link of a document to its site is a claim
/// that any feed can make: it protects the feed's own items, as those of a site whose feed is on another host, but gives no
/// power over the items of feeds that another server sends.
public struct FeedHome: Sendable {
  private let host: String?
  private let port: Int?
  private let claimedHost: String?

  /// - Parameters:
  ///   - address: the configured address; nil if there is none, or it is a secret.
  ///   - link: the link of the last document to its site.
  public init(address: WebAddress?, link: String?) {
    (host, port) = (address.map(siteHost), address?.port)
    claimedHost = link.flatMap(WebAddress.init).map(siteHost)
  }

  /// Whether an item with a link repeats an earlier item of another feed, and is no news.
  ///
  /// It is news if its feed is closer to the link's host than the other one. So either both are strangers there, or the other
  /// one is at home. Two feeds of one server, such as sections of a newspaper, believe each other's claims.
  public func repeats(_ link: String, of other: FeedHome) -> Bool {
    guard let linked = WebAddress(link).map(siteHost) else { return true }
    let isSameServer = host != nil && host == other.host && port == other.port
    return closeness(to: linked, claims: true) <= other.closeness(to: linked, claims: isSameServer)
  }

  private func closeness(to linked: String, claims: Bool) -> Closeness {
    let certain = Closeness(of: host, to: linked)
    return claims ? max(certain, min(Closeness(of: claimedHost, to: linked), .related)) : certain
  }
}

/// How close a host is to another one.
private enum Closeness: Comparable {
  case strange
  /// One is a subdomain of the other, as `feeds.site.example` and `site.example`.
  case related
  case same

  init(of home: String?, to host: String) {
    guard let home else {
      self = .strange
      return
    }
    self =
      home == host ? .same : home.hasSuffix("." + host) || host.hasSuffix("." + home) ? .related : .strange
  }
}

/// The host of an address without `www.` and without the dot of a complete name.
private func siteHost(_ address: WebAddress) -> String {
  String(address.site.hasSuffix(".") ? address.site.dropLast() : address.site)
}
