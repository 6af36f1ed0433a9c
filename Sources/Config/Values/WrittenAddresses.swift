// Addresses of feeds and proxies, blocks of addresses, and paths: `~` and variables are expanded, and relative paths start at
// the configuration's directory, not at cron's.

import Core

extension Field {
  /// The address of a feed that is not a secret: an http, https or file URL.
  func feedAddress() throws(Mistake) -> FeedSource {
    guard let text = node.text, FileAddress.isWritten(text) else { return .web(try webAddress()) }
    return .file(try fileAddress(text))
  }

  /// An absolute http or https URL, which may have a scheme such as `feed:` in front.
  private func webAddress() throws(Mistake) -> WebAddress {
    let text = withoutFeedScheme(try someText(expecting: "a URL such as https://planet.example/atom.xml"))
    guard let address = WebAddress(text) else {
      throw space(inURL: text)
        ?? mistake(
          "\(name) is not an http, https or file URL",
          cure: "write \(addressMeant(by: text) ?? "a URL such as https://planet.example/atom.xml")")
    }
    if address.hasUser {
      throw mistake(
        "\(name) contains a user name or a password",
        cure: "write auth: {username: NAME, password: {env: NAME}} and the URL without them")
    }
    return address
  }

  /// The URL that a text without a scheme means; nil for another text, and for one that may contain a password.
  private func addressMeant(by text: String) -> String? {
    guard !text.utf8.contains(where: "@?".utf8.contains) else { return nil }
    let isHost = text.hasPrefix("//")
    if !isHost, ["/", "~/", "./", "$"].contains(where: text.hasPrefix) { return "file:" + text }
    let address = (isHost ? "https:" : "https://") + text
    return WebAddress(address).flatMap { $0.host.contains(".") ? address : nil }
  }

  /// The mistake of a space or a control character in a URL; nil if there is none.
  func space(inURL text: String) -> Mistake? {
    guard text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else { return nil }
    return mistake("\(name) contains a space or a control character", cure: "write a space in a URL as %20")
  }

  /// A proxy in libcurl's form.
  func proxyAddress() throws(Mistake) -> String {
    let text = try someText(expecting: "environment, none or a URL such as socks5h://127.0.0.1:9050")
    let isAddress = (try? ProxyAddress(text)) != nil
    // The text is not repeated, because it may contain a password.
    let authority = try require(
      isAddress ? URIReference(text).authority : nil, "\(name) is not the address of a proxy",
      cure: "write environment, none or a URL such as http://proxy.example:3128 or socks5h://127.0.0.1:9050")
    if let at = authority.utf8.lastIndex(of: "@"), authority.utf8[..<at].contains(":") {
      throw mistake(
        "\(name) contains a password", cure: "write environment, and set the variable https_proxy instead")
    }
    return text
  }

  func networks() throws(Mistake) -> [AddressBlock] {
    try values(expecting: "a list of networks such as [10.0.0.0/8]") { entry throws(Mistake) in
      let text = try entry.text(expecting: "a network such as 10.0.0.0/8")
      return try entry.require(
        AddressBlock(text), "\"\(shown(text))\" is not a network",
        cure: "write an address, or a block such as 10.0.0.0/8 or fd00::/8")
    }
  }
}

// MARK: Paths

extension Field {
  func path(or alternatives: String = "") throws(Mistake) -> String {
    let expected = "a path" + alternatives
    try require(!node.isNone, "\(name) cannot be none", cure: "write \(expected)")
    return try path(someText(expecting: expected))
  }

  /// The key itself as a path.
  func pathOfKey() throws(Mistake) -> String { try path(key) }

  /// An absolute path made of a text.
  func path(_ text: String) throws(Mistake) -> String {
    absolutePath(try accepted(expandedPath(text, pass)), in: pass.directory)
  }

  /// The program of a command: `~/` is expanded and a relative path starts at the file's directory; a bare name
  /// is searched in PATH when it is run.
  func programPath(_ text: String) throws(Mistake) -> String {
    try require(!text.isEmpty, "\(name) has no program", cure: "write the program first")
    guard text.utf8.contains("/") else { return text }
    guard text.hasPrefix("~/") else { return absolutePath(text, in: pass.directory) }
    return absolutePath(try accepted(home(pass.context)) + text.dropFirst(), in: pass.directory)
  }

  /// A path; the reason to refuse it becomes a mistake in the value.
  private func accepted(_ path: @autoclosure () throws(Refusal) -> String) throws(Mistake) -> String {
    do throws(Refusal) {
      return try path()
    } catch {
      throw mistake("\(name): \(error.what)", cure: error.cure)
    }
  }

  /// The file of a `file:` URL; its path may begin with `~` or a variable, or be relative to the
  /// configuration.
  func fileAddress(_ text: String) throws(Mistake) -> FileAddress {
    var rest = text.dropFirst("file:".count)
    for host in ["//localhost/", "///"] where rest.lowercased().hasPrefix(host) {
      rest = rest.dropFirst(host.count - 1)
    }
    let isPlain =
      !rest.hasPrefix("//") && rest.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && !"?#".utf8.contains($0) }
    let path = isPlain ? FileAddress.decoded(String(rest)) ?? "" : ""
    try require(
      !path.isEmpty && !path.hasSuffix("/"), "\(name) is not the address of a file of this machine",
      cure: "write file:///srv/feeds/planet.xml, with %3F, %23 and %25 for \"?\", \"#\" and \"%\"")
    return FileAddress(path: try self.path(path))
  }
}

/// A path with `~`, `~/…`, `$NAME` and `${NAME}` replaced; the pass records the variables.
func expandedPath(_ text: String, _ pass: ConfigurationPass) throws(Refusal) -> String {
  var rest = text[...]
  var path = ""
  if rest.first == "~" {
    guard rest.count == 1 || rest.dropFirst().first == "/" else {
      throw Refusal("~user is not supported", cure: "write the full path")
    }
    path = try home(pass.context)
    rest = rest.dropFirst()
  }
  while let dollar = rest.firstIndex(of: "$") {
    path += String(rest[..<dollar])
    rest = rest[rest.index(after: dollar)...]
    let isBraced = rest.first == "{"
    if isBraced { rest = rest.dropFirst() }
    let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    rest = rest[name.endIndex...]
    guard !name.isEmpty, !isBraced || rest.first == "}" else {
      throw Refusal("\"$\" is not followed by a variable name", cure: "write $NAME or ${NAME}")
    }
    if isBraced { rest = rest.dropFirst() }
    pass.variables.insert(String(name))
    path += try variable(String(name), pass.context)
  }
  return path + String(rest)
}

/// The value of a variable.
///
/// The variables of the XDG Base Directory Specification have its defaults, which also replace a relative path.
private func variable(_ name: String, _ context: ConfigurationContext) throws(Refusal) -> String {
  let value = context.environment[name] ?? ""
  if let fallback = baseDirectories[name] {
    return value.hasPrefix("/") ? value : try home(context) + fallback
  }
  if name == "HOME", value.isEmpty { return try home(context) }
  guard !value.isEmpty else {
    throw Refusal(
      "the environment variable $\(name) is not set",
      cure: "write the full path, because cron and systemd set few variables")
  }
  return value
}

private let baseDirectories = [
  "XDG_DATA_HOME": "/.local/share", "XDG_STATE_HOME": "/.local/state", "XDG_CONFIG_HOME": "/.config",
  "XDG_CACHE_HOME": "/.cache",
]

private func home(_ context: ConfigurationContext) throws(Refusal) -> String {
  guard context.home.hasPrefix("/") else {
    throw Refusal("the home directory is unknown", cure: "write the full path")
  }
  return context.home
}

/// A path made absolute, without doubled slashes and `.`; `..` stays, because it may follow a symbolic link.
func absolutePath(_ path: String, in directory: String) -> String {
  let whole = path.hasPrefix("/") ? path : directory + "/" + path
  return "/" + whole.split(separator: "/").map(String.init).filter { $0 != "." }.joined(separator: "/")
}
