// Templates of `push`: keys of the payload as placeholders. In an address they are allowed only after the authority, so
// that no payload chooses the server.

import Core

extension Field {
  /// The template of the address that a push fetches.
  func pushAddress() -> Template? {
    guard let text = someText(expecting: "a \(addressExample)"), !text.isEmpty,
      let written = template(expecting: "a \(addressExample)"), written.checkNames()
    else { return nil }
    guard written.checkPlaces() else { return nil }
    let template = written.template
    guard let address = template.sampleAddress else {
      reportNoPushAddress(text)
      return nil
    }
    if address.hasUser {
      report(
        "\(name) holds a user name or a password", cure: "write auth: beside push, and the URL without them")
    }
    if URIReference(address.text).hasDotSegment {
      report("\(name) has a segment that is . or ..", cure: "write the path that it leads to")
    }
    return template
  }

  /// The template of the description of the file.
  func pushDescription() -> Template? {
    let example = "text such as \"Podcast Episode {content-id}\""
    guard let text = someText(expecting: example), !text.isEmpty, let written = template(expecting: example),
      written.checkNames()
    else { return nil }
    return written.template
  }

  private func reportNoPushAddress(_ text: String) {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      report("\(name) holds a blank or a control character", cure: "write a blank in a URL as %20")
      return
    }
    report("\(name) \"\(shown(text))\" is not an http or https URL", cure: "write a \(addressExample)")
  }
}

private let addressExample = "URL such as https://planet.example/files/{content-id}.mp3"

extension WrittenTemplate {
  /// Reports placeholders that no payload can fill; true if there are none.
  fileprivate func checkNames() -> Bool {
    var isRight = true
    for (index, (name, format)) in placeholders.enumerated() {
      let mistake: (what: String, cure: String)
      if name == "aps" || name.hasPrefix("aps.") {
        mistake = ("{\(name)} is no value", "write a key that stands beside aps, such as {content-id}")
      } else if name.contains(".") {
        let last = name.split(separator: ".").last.map(String.init) ?? "content-id"
        mistake = ("{\(name)} has a dot, and only keys beside aps fill in", "write for example {\(last)}")
      } else if format != nil {
        mistake = ("{\(name)} is no time and has no format", "write {\(name)}")
      } else {
        continue
      }
      field.pass.report(mistake.what, at: place(ofPlaceholder: index), cure: mistake.cure)
      isRight = false
    }
    return isRight
  }

  /// Reports placeholders that would choose the server, or are never sent; true if there are none.
  fileprivate func checkPlaces() -> Bool {
    let whole = URIReference(template.filled { _, _ in "x" })
    var isRight = true
    var before = ""
    var index = 0
    for part in template.parts {
      guard case .placeholder(let name, _) = part else {
        if case .literal(let text) = part { before += text }
        continue
      }
      if let mistake = mistake(of: name, behind: URIReference(before), in: whole) {
        field.pass.report(mistake.what, at: place(ofPlaceholder: index), cure: mistake.cure)
        isRight = false
      }
      before += "x"
      index += 1
    }
    return isRight
  }

  private func mistake(
    of name: String, behind beginning: URIReference, in whole: URIReference
  ) -> (what: String, cure: String)? {
    if beginning.fragment != nil {
      return ("{\(name)} stands behind a #, which is never sent", "write %23 for a # that is meant")
    }
    // Any other beginning is not a URL, which is reported for the whole text.
    let piece: String
    if let scheme = beginning.scheme {
      guard ["http", "https"].contains(scheme.lowercased()), let authority = beginning.authority,
        beginning.path.isEmpty, beginning.query == nil
      else { return nil }
      let hasUser = whole.authority?.contains("@") ?? false
      let behindAddress = authority.drop { $0 != "]" }
      let isPort = (behindAddress.isEmpty ? authority[...] : behindAddress).contains(":")
      piece = hasUser && !authority.contains("@") ? "user part" : isPort ? "port" : "host"
    } else {
      guard !beginning.path.contains("/") else { return nil }
      piece = "scheme"
    }
    return (
      "{\(name)} stands in the \(piece) of \(field.name), and no payload chooses whom it is fetched from",
      "write the \(piece) out; placeholders come behind the host and its slash"
    )
  }
}
