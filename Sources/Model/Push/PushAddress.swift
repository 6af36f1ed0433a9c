// What can be told of the addresses that a push's template makes, whatever the values are.

extension Template {
  /// The address of the template with a letter in place of every placeholder; nil if it is none.
  ///
  /// Where placeholders stand only behind the authority, every address that the template makes has its origin.
  public var sampleAddress: WebAddress? { WebAddress(filled { _, _ in "x" }) }

  /// The text before the first placeholder.
  public var literalBeginning: String {
    if case .literal(let text)? = parts.first { text } else { "" }
  }
}

extension URIReference {
  /// Whether a segment of the path is `.` or `..`, written out or with `%2E`: it would lead elsewhere than it looks
  /// (RFC 3986 section 5.2.4; the WHATWG's URL standard on `%2e`, which libcurl follows).
  public var hasDotSegment: Bool {
    path.utf8.split(separator: UInt8(ascii: "/")).contains { segment in
      let plain = String(Substring(segment)).lowercased().replacing("%2e", with: ".")
      return plain == "." || plain == ".."
    }
  }
}

extension FeedSpec {
  /// Whether an address is one that `push.url` may make: the user has written its host.
  public func isPushAddress(_ address: WebAddress) -> Bool {
    guard let template = push.url, let sample = template.sampleAddress, sample.origin == address.origin else {
      return false
    }
    return address.text.hasPrefix(template.literalBeginning)
  }
}
