// What two spellings of one address have in common.

extension WebAddress {
  /// The address in the one spelling of all that mean the same by RFC 3986, sections 6.2.2.1 and 6.2.3.
  ///
  /// Scheme and host are in lower case, the scheme's own port is left out, an empty path is `/`, and there is no fragment.
  /// What only a server could know to be the same (a mark at the end, the order of a query) stays different.
  public var normalized: String {
    var reference = URIReference(text)
    reference.scheme = scheme
    let user =
      reference.authority.flatMap { part in part.lastIndex(of: "@").map { String(part[...$0]) } } ?? ""
    let literal = host.contains(":") ? "[\(host)]" : host
    reference.authority = user + literal + (port == (scheme == "https" ? 443 : 80) ? "" : ":\(port)")
    if reference.path.isEmpty { reference.path = "/" }
    return reference.text
  }
}
