// Addresses of feeds and proxies, and blocks of addresses.

import Core

extension Field {
  /// The address of a feed that is not a secret: an http, https or file URL.
  func feedAddress() -> String? {
    guard case .scalar(let scalar) = node.content, scalar.text.lowercased().hasPrefix("file:") else {
      return webAddress()
    }
    return fileAddress(scalar.text)?.text
  }

  /// An absolute http or https URL, which may have a scheme such as `feed:` in front.
  private func webAddress() -> String? {
    guard
      let text = someText(expecting: "a URL such as https://planet.example/atom.xml").map(withoutFeedScheme)
    else { return nil }
    guard let address = WebAddress(text) else {
      reportInvalidAddress(text)
      return nil
    }
    if text.utf8.contains(UInt8(ascii: "@")), address.hasUser {
      report(
        "\(name) contains a user name or a password",
        cure: "write auth: {username: NAME, password: {env: NAME}} and the URL without them")
    }
    return address.text
  }

  private func reportInvalidAddress(_ text: String) {
    let what = "\(name) \"\(shown(masked(text)))\" is not an http or https URL"
    if reportSpace(inURL: text) { return }
    let reference = URIReference(text)
    switch reference.scheme?.lowercased() {
    case nil where isPath(text):
      report(what, cure: "write file:" + (text.hasPrefix("/") ? "//" : "") + shown(masked(text)))
    case nil:
      let rest = text.drop { $0 == "/" }
      report(what, cure: rest.contains(".") ? "write https://\(shown(masked(String(rest))))" : urlExample)
    case "http", "https":
      report(what, cure: urlExample)
    case let scheme?:
      // By RFC 3986, `planet.example:8080/feed` has the scheme `planet.example`.
      let isHost = scheme.contains(".") || scheme == "localhost"
      report(what, cure: isHost ? "write https://\(shown(masked(text)))" : urlExample)
    }
  }

  /// Reports a space or a control character in a URL; false if there is none.
  func reportSpace(inURL text: String) -> Bool {
    guard text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else { return false }
    report("\(name) contains a space or a control character", cure: "write a space in a URL as %20")
    return true
  }

  /// A proxy in libcurl's form.
  func proxyAddress() -> String? {
    guard let text = someText(expecting: "environment, none or a URL such as socks5h://127.0.0.1:9050") else {
      return nil
    }
    do throws(ProxyMistake) {
      _ = try ProxyAddress(text)
    } catch {
      // A possible password is not shown.
      if text.utf8.contains(where: ":@".utf8.contains) {
        report("\(name) \(error.text.what)", cure: error.text.cure)
        return nil
      }
    }
    guard let authority = URIReference(text).authority else {
      let near = nearest(text, among: ["environment", "none"])
      report(
        "\(name) \"\(shown(masked(text)))\" is not known",
        cure: near.map { "did you mean \"\($0.word)\"?" }
          ?? "write environment, none or a URL such as http://proxy.example:3128 or socks5h://127.0.0.1:9050")
      return nil
    }
    if let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")),
      authority.utf8[..<at].contains(UInt8(ascii: ":"))
    {
      report(
        "\(name) contains a password",
        cure: "write environment, and set the variable https_proxy instead")
    }
    return text
  }

  func networks() -> [AddressBlock]? {
    elements(expecting: "a list of networks such as [10.0.0.0/8]")?.compactMap { element in
      guard let text = element.text(expecting: "a network such as 10.0.0.0/8") else { return nil }
      guard let block = AddressBlock(text) else {
        element.report(
          "\"\(shown(text))\" is not a network",
          cure: "write an address, or a block such as 10.0.0.0/8 or fd00::/8")
        return nil
      }
      return block
    }
  }
}

/// Whether a text looks like the path of a file; `//host/…` does not.
private func isPath(_ text: String) -> Bool {
  if text.hasPrefix("/") { return !text.hasPrefix("//") }
  return ["~", "$", "./", "../"].contains { text.hasPrefix($0) }
}

private let urlExample = "write a URL such as https://planet.example/atom.xml"

/// An address for messages: the text before the last `@` and after `?` may be secret.
private func masked(_ text: String) -> String {
  let at = text.utf8.lastIndex(of: UInt8(ascii: "@"))
  let address = text[(at ?? text.startIndex)...]
  // A password may contain a question mark, and a query an @.
  let end = address.utf8.firstIndex { "?&#".utf8.contains($0) && (at != nil || $0 == UInt8(ascii: "?")) }
  return (at == nil ? "" : "…") + address[..<(end ?? text.endIndex)] + (end == nil ? "" : "?…")
}
