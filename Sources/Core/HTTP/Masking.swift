// Masks secrets of the configuration that a server repeats in its document, its header or a redirect.

extension FeedAccess {
  /// The secrets of a feed, which must not be stored or shown even if a server repeats them.
  ///
  /// These are passwords, tokens, cookies, secrets in the body, and the values of headers that are secret or have a name
  /// like `X-Api-Key`. In the address, they are the values of parameters with such names and, if the address is a secret,
  /// every part that may be one.
  public var hidden: HiddenWords {
    var words: [String] = []
    func add(_ text: some StringProtocol, atLeast least: Int = 4) {
      guard text.utf8.count >= least else { return }
      words += [String(text), percentDecoded(text)]
    }
    for header in headers where secretFields.contains(header.name.lowercased()) || isNameOfSecret(header.name)
    {
      add(header.value)
      for part in parts(ofField: header.value) { add(part, atLeast: 6) }
    }
    for secret in body?.secrets ?? [] { add(secret) }
    // Shorter values are words such as `dark` or dates, which may occur anywhere; session ids are longer.
    for value in cookies?.values ?? [] { add(value, atLeast: 16) }
    switch credentials {
    case .basic(let username, let password), .digest(let username, let password):
      add(password)
      // The server's challenge may change the scheme, and HTTP Basic sends the password in this form.
      add(base64(Array("\(username):\(password)".utf8)))
    case .bearer(let token): add(token)
    case .certificate(let certificate): if let password = certificate.password { add(password) }
    case .netrc, nil: break
    }
    guard isAddressSecret || address.mayHaveSecrets else {
      return words.isEmpty ? .none : HiddenWords(words)
    }
    let reference = URIReference(address.text)
    for pair in (reference.query ?? "").utf8.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1).map { Substring($0) }
      if parts.count == 2, isNameOfSecret(parts[0]) {
        add(parts[1], atLeast: isAddressSecret ? 4 : 6)
      } else if let last = parts.last {
        add(last, atLeast: isAddressSecret ? 8 : parts.count == 2 ? .max : 16)
      }
    }
    if let authority = reference.authority, let end = authority.utf8.lastIndex(of: "@") {
      for part in authority.utf8[..<end].split(separator: ":").dropFirst() {
        add(Substring(part))
      }
    }
    if isAddressSecret {
      add(address.text)
      for step in reference.path.utf8.split(separator: "/") {
        let stem = divided(String(Substring(step))).stem
        let hasDigit = stem.utf8.contains { $0.isASCIIDigit }
        add(stem, atLeast: hasDigit ? 8 : 20)
      }
    }
    return HiddenWords(words)
  }
}

extension Request {
  /// The secrets in its address, fields and credentials.
  public var hidden: HiddenWords {
    var access = FeedAccess(address: address)
    access.headers = fields
    access.cookies = cookies
    access.credentials = credentials
    return access.hidden
  }
}

/// Whether the name of a header or parameter means that its value is secret.
private func isNameOfSecret(_ name: some StringProtocol) -> Bool {
  let name = name.lowercased()
  if ["token", "secret", "passw", "apikey", "authoriz"].contains(where: name.contains) { return true }
  return name.utf8.split { !(0x61...0x7A).contains($0) }.contains {
    namesOfSecrets.contains(String(Substring($0)))
  }
}

private let namesOfSecrets: Set = [
  "key", "auth", "pass", "pwd", "pw", "sig", "signature", "session", "sessionid", "sid", "credential",
  "credentials",
  "cookie", "jwt",
]

/// The parts of a header's value that may be secret: values of cookies, and text after a scheme such as `Bearer`.
private func parts(ofField value: String) -> [Substring] {
  let words = value.utf8.split {
    $0 == " " || $0 == ";" || $0 == ","
  }
  return words.enumerated().compactMap { index, word in
    guard let sign = word.firstIndex(of: "="),
      word[sign...].contains(where: { $0 != "=" })
    else { return index > 0 ? Substring(word) : nil }
    return Substring(word[word.index(after: sign)...])
  }
}

extension Response {
  /// The response with repeated secrets masked except in `Location`; validators that contain one are removed.
  public func hiding(_ hidden: HiddenWords) -> Response {
    guard !hidden.isEmpty else { return self }
    var copy = self
    copy.fields = fields.compactMap { field in
      switch field.name.lowercased() {
      case "location": field
      case "etag", "last-modified": hidden.isIn(field.value) ? nil : field
      default: HeaderField(field.name, hidden.masked(field.value))
      }
    }
    return copy
  }
}

extension AssetFindings {
  /// Masks repeated secrets in the descriptions of transfers, which may be names of files.
  public mutating func hide(_ hidden: HiddenWords) {
    guard !hidden.isEmpty else { return }
    for place in known.indices { known[place].description = hidden.masked(known[place].description) }
    for place in wanted.indices { wanted[place].description = hidden.masked(wanted[place].description) }
    for place in shown.indices { shown[place].description = hidden.masked(shown[place].description) }
  }
}

extension Classification {
  /// Masks repeated secrets in the addresses of the items' files, which `ParsedFeed.hiding` leaves for downloads.
  public mutating func hide(_ hidden: HiddenWords) {
    guard !hidden.isEmpty else { return }
    for place in newItems.indices { newItems[place].details?.hide(hidden) }
    for place in changedItems.indices { changedItems[place].record.details?.hide(hidden) }
  }
}

extension ItemDetails {
  fileprivate mutating func hide(_ hidden: HiddenWords) {
    image = image.map(hidden.masked)
    for place in enclosures.indices { enclosures[place].url = hidden.masked(enclosures[place].url) }
  }
}

extension ParsedFeed {
  /// The document with repeated secrets masked.
  ///
  /// The addresses of its files stay, because a download needs the token in its address; they are masked when shown.
  public func hiding(_ hidden: HiddenWords) -> ParsedFeed {
    guard !hidden.isEmpty else { return self }
    var copy = self
    copy.title = title.map(hidden.masked)
    copy.link = link.map(hidden.masked)
    copy.id = id.map(hidden.masked)
    copy.hubLinks.hubs = hubLinks.hubs.map(hidden.masked)
    copy.hubLinks.topic = hubLinks.topic.map(hidden.masked)
    for place in items.indices {
      var item = items[place]
      for text in [\ParsedItem.id, \.title, \.link, \.summary, \.content, \.author, \.comments] {
        item[keyPath: text] = item[keyPath: text].map(hidden.masked)
      }
      item.categories = item.categories.map(hidden.masked)
      for file in item.enclosures.indices {
        item.enclosures[file].type = item.enclosures[file].type.map(hidden.masked)
        for form in item.enclosures[file].renditions.indices {
          let type = item.enclosures[file].renditions[form].type
          item.enclosures[file].renditions[form].type = type.map(hidden.masked)
        }
      }
      copy.items[place] = item
    }
    return copy
  }
}
