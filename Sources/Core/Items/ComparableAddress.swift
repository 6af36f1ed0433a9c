// When two addresses identify the same item: parts that vary without meaning another page are ignored. Requests and
// people always get the address as written.

extension Fingerprint {
  /// Adds an address; addresses of the same page give the same fingerprint.
  ///
  /// Ignored in http and https addresses: the scheme, `www.`, default ports, upper case in the host, slashes at the end of
  /// the path, tracking and session parameters, a fragment of nothing else, and percent-encoding, except of delimiters. Other
  /// parameters, their order and other fragments count, because only they may distinguish two items. Any other text counts
  /// as it is.
  mutating func add(address text: String) {
    var text = text
    text.withUTF8 { bytes in
      let parts = URIReference.Parts(bytes)
      guard let authority = parts.authority, let scheme = parts.scheme, isWebScheme(scheme) else {
        for byte in bytes { add(byte: byte) }
        return
      }
      for byte in "//".utf8 { add(byte: byte) }
      for byte in withoutDefaults(authority) { add(byte: asciiLowercased(byte)) }
      add(byte: "/")
      add(withoutSession(parts.path.dropFirst()), keeping: "%/?#;")
      if let query = parts.query { add(parameters: query, after: "?") }
      if let fragment = parts.fragment { add(parameters: fragment, after: "#") }
    }
    add(byte: 0xFF)
  }

  /// Adds parameters except tracking ones; a text without `&` is one parameter.
  private mutating func add(parameters: Bytes, after mark: UInt8) {
    var separator = mark
    for parameter in parameters.split(separator: "&") where !isTracking(parameter) {
      add(byte: separator)
      add(parameter, keeping: "%&=+#;")
      separator = "&"
    }
  }

  /// Adds bytes without their percent-encoding, except of delimiters, which would mean something else without it.
  private mutating func add(_ bytes: Bytes, keeping delimiters: StaticString) {
    var rest = bytes
    while let byte = rest.popFirst() {
      guard byte == "%", rest.count >= 2, let high = rest[rest.startIndex].hexDigitValue,
        let low = rest[rest.startIndex + 1].hexDigitValue
      else {
        add(byte: byte)
        continue
      }
      let value = high << 4 | low
      if delimiters.withUTF8Buffer({ $0.contains(value) }) {
        add(byte: byte)
        for digit in rest.prefix(2) { add(byte: digit & 0x40 == 0 ? digit : digit & 0xDF) }
      } else {
        add(byte: value)
      }
      rest = rest.dropFirst(2)
    }
  }
}

/// Whether an address is the front page of a site, which identifies no item.
public func isFrontPage(_ address: String) -> Bool {
  let reference = URIReference(address)
  return reference.path.allSatisfy { $0 == "/" } && reference.query == nil && reference.fragment == nil
}

private typealias Bytes = URIReference.Parts.Bytes

private func isWebScheme(_ scheme: Bytes) -> Bool {
  (4...5).contains(scheme.count) && begins(scheme, with: scheme.count == 4 ? "http" : "https")
}

private func isTracking(_ parameter: Bytes) -> Bool {
  guard let equals = parameter.firstIndex(of: "=") else { return false }
  let name = parameter[..<equals]
  guard name.count <= 16 else { return false }
  if trackingBeginnings.contains(where: { begins(name, with: $0) }) { return true }
  let text = String(decoding: name.map(asciiLowercased), as: UTF8.self)
  // A phpBB session id has 32 hexadecimal digits; on other sites `sid` is the number of a story.
  if text == "sid" { return parameter.distance(from: equals, to: parameter.endIndex) == 33 }
  return trackingNames.contains(text)
}

/// The path without a servlet's session id and without slashes at its end.
private func withoutSession(_ path: Bytes) -> Bytes {
  var path = path
  if let semicolon = path.lastIndex(of: ";"),
    begins(path[(semicolon + 1)...], with: "jsessionid=")
  {
    path = path[..<semicolon]
  }
  while path.last == "/" { path = path.dropLast() }
  return path
}

/// The authority without `www.` and default ports.
private func withoutDefaults(_ authority: Bytes) -> Bytes {
  var authority = authority
  if begins(authority, with: "www.") { authority = authority.dropFirst(4) }
  for port: StaticString in [":443", ":80", ":"] {
    let length = port.utf8CodeUnitCount
    if begins(authority.suffix(length), with: port) { authority = authority.dropLast(length) }
  }
  return authority
}

private let trackingBeginnings: [StaticString] = ["utm_", "pk_", "mtm_", "hsa_"]

/// Parameters that identify the referring page or the session.
private let trackingNames: Set = [
  "fbclid", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "msclkid", "yclid", "twclid", "ttclid", "igshid",
  "mc_cid", "mc_eid", "mkt_tok", "_hsenc", "_hsmi", "vero_id", "vero_conv", "oly_anon_id", "oly_enc_id",
  "at_medium", "at_campaign", "xtor", "phpsessid", "jsessionid",
]

/// Whether bytes begin with a lower-case text, ignoring case.
private func begins(_ bytes: Bytes, with text: StaticString) -> Bool {
  text.withUTF8Buffer { text in
    bytes.prefix(text.count).elementsEqual(text) { asciiLowercased($0) == $1 }
  }
}
