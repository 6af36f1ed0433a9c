// Addresses of lists of subscriptions: which of them a feed of the configuration may have.

/// An address that a feed of the configuration may have.
struct FoundAddress {
  /// As it is written there.
  var text: String
  /// The same for all spellings of one address.
  var normalized: String
  /// As a message may show it.
  var masked: String
  /// Where it leads.
  var reach: Reach

  /// Where an address leads.
  enum Reach {
    /// To the Internet, as far as its host tells.
    case publicHost
    /// To a private network or this machine.
    case privateHost
    /// To a file of this machine.
    case file
  }
}

/// Why an address cannot be taken.
struct AddressRefusal: Error {
  /// What there is to say.
  var kind: SubscriptionRemark.Kind
}

/// Reads an address: http, https, a file's, or one of those behind the `feed:` of old browsers.
func foundAddress(_ text: String) -> Result<FoundAddress, AddressRefusal> {
  let text = withoutFeedScheme(text)
  let unusable = AddressRefusal(kind: .unusableAddress(URIReference(String(text.prefix(200))).masked.text))
  // Longer ones are refused by servers and proxies alike (RFC 9110 section 4.1 asks for 8000 octets).
  guard text.utf8.count <= 8192 else { return .failure(unusable) }
  if let file = FileAddress(text), !file.path.hasSuffix("/") {
    return .success(FoundAddress(text: file.text, normalized: file.text, masked: file.text, reach: .file))
  }
  guard let address = WebAddress(text) else { return .failure(unusable) }
  guard !address.hasUser else {
    return .failure(AddressRefusal(kind: .credentials(address.masked)))
  }
  return .success(
    FoundAddress(
      text: address.text, normalized: address.normalized, masked: address.masked,
      reach: address.isPublicHost ? .publicHost : .privateHost))
}

/// `feed:https://…` is an address behind a mark, `feed://host/…` one without its scheme.
private func withoutFeedScheme(_ text: String) -> String {
  let schemes: Set = ["feed", "itpc", "pcast", "podcast", "rss"]
  guard let scheme = URIReference(text).scheme?.lowercased(), schemes.contains(scheme) else { return text }
  let rest = String(text.dropFirst(scheme.count + 1))
  return rest.hasPrefix("//") ? "https:" + rest : rest
}
