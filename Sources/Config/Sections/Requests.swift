// `network`: limits and rules for every request, at the top level and under feeds. `auth` and `body` of a feed: credentials of
// exactly one kind, and text, or YAML that is sent as JSON, with secrets anywhere in it.

import Core

/// Credentials while they are read; some of their keys may be in `defaults`.
struct AuthenticationDraft {
  private var username: String?
  private var password: Secret?
  private var bearer: Secret?
  /// The files of a certificate and its key; a single one has both.
  private var certificate: [String] = []
  private var netrc = false
  /// The field that sets the credentials: the feed's own or the one of `defaults`.
  private var origin: Field?

  static let keys = Keys("feeds.*.auth", AuthenticationDraft()) { keys in
    keys.optional("username", \.username, .username, "the user name")
    keys.optional("password", \.password, .secret, "the password")
    keys.optional("bearer", \.bearer, .secret, "a bearer token")
    keys.key(
      "certificate", \.certificate, .certificate,
      "a client certificate and its private key as a PEM file, or as a list of two; password decrypts the key"
    )
    keys.key("netrc", \.netrc, .flag, "whether to look for credentials in ~/.netrc")
  }

  /// Reads `auth` over earlier values; another kind of credentials replaces them.
  mutating func read(_ field: Field) throws(Mistake) {
    guard !field.node.isNone else { return self = AuthenticationDraft() }
    let forms =
      "{username: NAME, password: {env: NAME}}, {bearer: {file: PATH}}, {certificate: PATH} or {netrc: true}"
    let keys = try Section(field, Self.keys, expecting: forms)
    origin = field
    let isCertificate = keys["certificate"] != nil
    let isPassword = keys["username"] != nil || keys["password"] != nil && !isCertificate
    let others = [keys["bearer"] != nil, keys["netrc"] != nil, isCertificate].filter { $0 }.count
    if others + (isPassword ? 1 : 0) > 1 {
      field.pass.report(
        "auth has more than one kind of credentials", at: field.keyLocation, cure: "write one of \(forms)")
    }
    if others > 0 { (username, password) = (nil, nil) }
    if others > 0 || isPassword { (bearer, certificate, netrc) = (nil, [], false) }
    Self.keys.read(keys, into: &self)
  }

  /// The credentials of a feed; an incomplete pair is a mistake at the feed's field.
  func whole(ofFeedAt feed: Location, _ pass: ConfigurationPass) -> Authentication? {
    if let bearer { return .bearer(bearer) }
    if let file = certificate.first, let key = certificate.last {
      return .certificate(file: file, key: key, password: password)
    }
    if netrc { return .netrc }
    let mistake: (what: String, cure: String)
    switch (username, password) {
    case (nil, nil): return nil
    case (let username?, let password?): return .password(username: username, password: password)
    case (nil, _): mistake = ("a password but no username", "username: NAME")
    case (_, nil): mistake = ("a username but no password", "password: {env: NAME}")
    }
    (origin?.pass ?? pass).report(
      "auth has \(mistake.what)", at: origin?.keyLocation ?? feed, cure: "write \(mistake.cure)")
    return nil
  }
}

extension ValueType<[String]> {
  /// The file of a certificate and its key, or the two files.
  fileprivate static let certificate = Self("path or list of paths", none: [], write: { _ in "none" }) {
    field throws(Mistake) in
    if field.isText { return [try field.path()] }
    let expected = "a path, or two such as [me.pem, me.key]"
    let count = try field.elements(expecting: expected).count
    try field.require(
      count == 2, "\(field.name) has \(count) entries",
      cure: "write the file of the certificate, and then that of its key")
    return try field.values(expecting: expected) { entry throws(Mistake) in try entry.path() }
  }
}

extension ValueType<String> {
  /// A name for HTTP Basic, which ends at its first colon (RFC 7617 section 2).
  fileprivate static let username = Self("text", write: { $0 }) { field throws(Mistake) in
    let text = try field.someText(expecting: "a user name")
    try field.require(
      !text.contains(":"), "username must not contain a colon", cure: "write the password under password:")
    return text
  }
}

// MARK: Bodies

extension ValueType<RequestBody> {
  /// The body of a request.
  static let body = Self("text or JSON") { field throws(Mistake) in
    switch field.node.content {
    case .mapping, .sequence:
      if let source = field.node.secretSource(field) {
        return RequestBody([.secret(try source.secret())], mediaType: RequestBody.form)
      }
      var json = JSONPieces()
      try json.add(field, field.node)
      return RequestBody(json.pieces, mediaType: RequestBody.json)
    case .scalar, .unusable:
      return RequestBody(text: try field.someText(expecting: "text, or a mapping to send as JSON"))
    }
  }
}

extension Field {
  /// A mapping or list to send as JSON, whose texts are templates.
  func bodyOfTemplates(_ placeholders: PlaceholderSet) throws(Mistake) -> RequestBody {
    try require(
      !isText, "body is text, in which placeholders could break the JSON",
      cure: "write it without the quotes around it, as a mapping such as {text: \"{title}\"}")
    var json = JSONPieces(placeholders: placeholders)
    try json.add(self, node)
    return RequestBody(json.pieces, mediaType: RequestBody.json)
  }
}

extension Node {
  /// The value as a secret, if it is a mapping with one key of a secret.
  fileprivate func secretSource(_ field: Field) -> Field? {
    guard entries.count == 1,
      secretKeys.contains(where: { $0.path == entries[0].key })
    else { return nil }
    return field.entry(self).named("body")
  }
}

/// JSON under construction, in pieces between secrets.
private struct JSONPieces {
  private(set) var pieces: [RequestBody.Piece] = []
  /// The placeholders that its texts may have; nil if they are not templates.
  var placeholders: PlaceholderSet?

  mutating func add(_ field: Field, _ node: Node, named name: String = "") throws(Mistake) {
    if let placeholders, case .string = node.json {
      let written = try field.entry(node).template()
      written.check(placeholders)
      return pieces.append(.template(written.template, name: name))
    }
    add(name)
    if let source = node.secretSource(field) { return pieces.append(.quotedSecret(try source.secret())) }
    switch node.content {
    case .scalar: add(node.json.text)
    case .sequence(let nodes):
      add("[")
      for (index, node) in nodes.enumerated() {
        if index > 0 { add(",") }
        try add(field, node)
      }
      add("]")
    case .mapping(let entries):
      // Text that lacks its quotes, such as {title}, is a mapping.
      if entries.count == 1, entries[0].value.isNull, placeholders?.names.contains(entries[0].key) == true {
        _ = try field.entry(node).text()
      }
      add("{")
      for (index, entry) in entries.enumerated() {
        let name = (index > 0 ? "," : "") + JSONValue.string(entry.key).text + ":"
        try add(field, entry.value, named: name)
      }
      add("}")
    case .unusable: throw .reported
    }
  }

  private mutating func add(_ text: String) {
    if case .text(let before)? = pieces.last {
      pieces[pieces.count - 1] = .text(before + text)
    } else {
      pieces.append(.text(text))
    }
  }
}

// MARK: The network

extension NetworkSettings {
  static let keys = Keys("network", NetworkSettings()) { keys in
    keys.key(
      "connections", \.connections, .number(1...1000),
      "maximum connections for feeds, and the same number for transfers")
    keys.key(
      "delay-per-host", \.delayPerHost, .interval(.zero, .hours(1)),
      "the delay between two requests to the same public host")
    keys.keysOfFeed()
    keys.key("rate-limit", \.rateLimit, ValueType.rate.orNone, "the maximum rate of all transfers together")
    keys.optional(
      "user-agent", \.userAgent, .headerValue, default: "bgfetch/VERSION", "the User-Agent header")
    keys.key(
      "ca-file", \.caFile, .pathOrSystem, "the file with the trusted CA certificates")
  }

  /// The keys of a feed's `network`, in which `none` means the value of the run.
  static func keysOfFeed(_ run: NetworkSettings) -> Keys<NetworkSettings> {
    Keys("feeds.*.network", run) { $0.keysOfFeed() }
  }
}

extension KeyList<NetworkSettings> {
  /// The keys that feeds have, too.
  fileprivate mutating func keysOfFeed() {
    key(
      "timeout", \.timeout, .interval(.seconds(1), .days(1)),
      "the time limit for fetching one feed; transfers have none")
    key(
      "private-addresses", \.privateAddresses, .privateAddresses,
      "the private addresses that redirects and links may lead to")
    key("proxy", \.proxy, .proxy, "the proxy")
  }
}

extension ValueType<ByteCount> {
  fileprivate static let rate = Self("size per second", write: { $0.written + "/s" }) {
    field throws(Mistake) in
    try field.size(atLeast: ByteCount(1), suffix: "/s")
  }
}

extension ValueType<PrivateAddressRule> {
  fileprivate static let privateAddresses = Self(
    "same-as-feed, allow, refuse or list of networks", write: { _ in "same-as-feed" }
  ) { field throws(Mistake) in
    guard field.isText else { return .networks(try field.networks()) }
    return try field.choice([("same-as-feed", .sameAsFeed), ("allow", .allow), ("refuse", .refuse)])
  }
}

extension ValueType<ProxyRule> {
  static let proxy = Self(
    "environment, none or proxy URL", none: ProxyRule.none, write: { _ in "environment" }
  ) { field throws(Mistake) in
    switch field.node.text {
    case "environment": return .environment
    case "none": return ProxyRule.none
    default: return .url(try field.proxyAddress())
    }
  }
}

extension ValueType<String> {
  static let headerValue = Self("text", write: { $0 }) { field throws(Mistake) in try field.headerValue() }
}

extension ValueType<String?> {
  fileprivate static let pathOrSystem = Self("path or system", write: { $0 ?? "system" }) {
    field throws(Mistake) in
    if field.node.text == "system" { return nil }
    return try field.path(or: " or system")
  }
}
