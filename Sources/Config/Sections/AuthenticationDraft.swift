// `auth`: name and password, a bearer token, a client certificate or ~/.netrc; exactly one of the four.

import Core

/// Credentials while they are read; some of their keys may be in `defaults`.
struct AuthenticationDraft {
  private var username: String?
  private var password: Secret?
  private var scheme: PasswordScheme?
  /// A kind other than name and password.
  private var other: Authentication?
  /// The field that sets the credentials: the feed's own or that of `defaults`.
  private var origin: Field?
  /// Whether a mistake was reported already.
  private var isBroken = false

  /// Reads `auth` over earlier values; another kind of credentials replaces them.
  mutating func read(_ field: Field) {
    if field.node.isNone {
      self = AuthenticationDraft()
      return
    }
    let forms =
      "{username: NAME, password: {env: NAME}}, {bearer: {file: PATH}}, {certificate: PATH, key: PATH} or {netrc: true}"
    guard let keys = Section(field, path: "feeds.*.auth", expecting: forms) else {
      isBroken = true
      return
    }
    origin = field
    isBroken = isBroken || !keys.misspelt.isEmpty
    let isCertificate = keys["certificate"] != nil || keys["key"] != nil
    let isBasic =
      ["username", "scheme"].contains { keys[$0] != nil } || keys["password"] != nil && !isCertificate
    let otherKinds = [keys["bearer"] != nil, keys["netrc"] != nil, isCertificate].filter { $0 }.count
    if otherKinds + (isBasic ? 1 : 0) > 1 {
      field.pass.report(
        "auth has more than one kind of credentials", at: field.keyPlace, cure: "write one of \(forms)")
    }
    if otherKinds > 0 { (username, password, scheme) = (nil, nil, nil) }
    if isBasic { other = nil }
    if let field = keys["username"] { read(field, keyPath: \.username) { $0.username() } }
    if let field = keys["password"], !isCertificate { read(field, keyPath: \.password) { $0.secret() } }
    if let field = keys["scheme"] { read(field, keyPath: \.scheme) { $0.choice(of: PasswordScheme.self) } }
    if let field = keys["bearer"] { read(field, keyPath: \.other) { $0.secret().map { .bearer($0) } } }
    if isCertificate { readCertificate(keys) }
    if let field = keys["netrc"] { other = !field.node.isNone && field.flag() == true ? .netrc : nil }
  }

  private mutating func readCertificate(_ keys: Section) {
    guard let file = keys["certificate"], !file.node.isNone else {
      other = nil
      if let key = keys["key"], !key.node.isNone {
        key.pass.report(
          "auth has a key but no certificate", at: key.keyPlace, cure: "write certificate: PATH")
      }
      return
    }
    let key = keys["key"].flatMap { $0.node.isNone ? nil : $0 }
    let password = keys["password"].flatMap { $0.node.isNone ? nil : $0 }
    guard let path = file.path() else { return isBroken = true }
    let keyPath = key?.path() ?? path
    other = .certificate(file: path, key: keyPath, password: password?.secret())
  }

  private mutating func read<Value>(
    _ field: Field, keyPath: WritableKeyPath<Self, Value?>, _ read: (Field) -> Value?
  ) {
    self[keyPath: keyPath] = field.node.isNone ? nil : read(field)
    isBroken = isBroken || (self[keyPath: keyPath] == nil && !field.node.isNone)
  }

  /// The credentials of a feed; an incomplete pair is a mistake at the feed's field.
  func whole(ofFeedAt feed: Place, _ pass: ConfigurationPass) -> Authentication? {
    let (place, pass) = (origin?.keyPlace ?? feed, origin?.pass ?? pass)
    if let other { return other }
    guard !isBroken else { return nil }
    switch (username, password) {
    case (nil, nil):
      guard scheme != nil else { return nil }
      pass.report(
        "auth has a scheme but no username", at: place, cure: "write username: NAME and password: {env: NAME}"
      )
    case (let username?, let password?):
      return scheme == .digest
        ? .digest(username: username, password: password) : .basic(username: username, password: password)
    case (nil, _):
      pass.report("auth has a password but no username", at: place, cure: "write username: NAME")
    case (_, nil):
      pass.report("auth has a username but no password", at: place, cure: "write password: {env: NAME}")
    }
    return nil
  }
}

/// How name and password are sent.
private enum PasswordScheme: String, CaseIterable {
  case basic, digest
}

extension Field {
  /// A name for HTTP Basic, which ends at its first colon (RFC 7617 section 2).
  fileprivate func username() -> String? {
    guard let text = someText(expecting: "a user name") else { return nil }
    if text.contains(":") {
      report("username must not contain a colon", cure: "write the password under password:")
    }
    return text
  }
}
