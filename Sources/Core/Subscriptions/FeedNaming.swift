// The address that a person types for a new feed, and names for new feeds, short enough to type. A name must last, because the feed's state is stored under it.

/// Gives each feed a distinct name.
public struct FeedNaming {
  /// The names in use, without regard to case.
  private var taken: Set<String>
  /// The last number that was added to a name.
  private var numbers: [String: Int] = [:]

  /// The longest name made from a title or address, in bytes, without a number at its end.
  private static let limit = 24

  public init(taken: some Sequence<FeedName> = []) {
    self.taken = Set(taken.map { caseless($0.text) })
  }

  /// A name for a feed, made from its title, else from its address.
  ///
  /// Names are in lower case, so that no two differ in case alone. If a name is taken, the later feed's name ends with a
  /// number.
  ///
  /// - Parameters:
  ///   - title: the feed's title.
  ///   - preferred: the name that its site uses, which is better than the title.
  ///   - address: its address.
  public mutating func name(title: String?, preferred: String? = nil, address: String) -> FeedName? {
    let base =
      preferred.flatMap { latinWords($0, limit: Self.limit) }
      ?? title.flatMap { nameWords(ofTitle: $0, limit: Self.limit) }
      ?? latinWords(describedAddress(address), limit: Self.limit) ?? "feed"
    var candidate = base
    while !taken.insert(candidate).inserted {
      numbers[base, default: 1] += 1
      candidate = "\(base)-\(numbers[base, default: 2])"
    }
    return FeedName(candidate)
  }
}

/// The words of a title that make a name, without words that say only that it is a feed: "LWN.net | RSS Feed" is lwn.
private func nameWords(ofTitle title: String, limit: Int) -> String? {
  let words = title.prefix(1000).split(whereSeparator: \.isWhitespace)
  let isFiller = { (word: Substring) in
    feedWords.contains(word.lowercased().filter { $0.isLetter || $0.isNumber })
  }
  let rest = words.trimmed(where: isFiller)
  let named = rest.contains { $0.contains(where: \.isLetter) } ? Array(rest) : words
  return latinWords(named.map(withoutEnding).joined(separator: " "), limit: limit)
}

/// A word without the ending of a host's or a file's name, and without a mark after that.
private func withoutEnding(_ word: Substring) -> Substring {
  var word = word
  while let last = word.last, ":;,!?".contains(last) { word.removeLast() }
  guard let dot = word.lastIndex(of: "."), dot > word.startIndex else { return word }
  let ending = word[word.index(after: dot)...]
  return (2...4).contains(ending.count) && ending.allSatisfy { $0.isASCII && $0.isLetter }
    ? word[..<dot] : word
}

/// A short description of an address: its host and the meaningful steps of its path.
///
/// The query is left out. It may be secret, and names are printed everywhere.
private func describedAddress(_ address: String) -> String {
  let path = FileAddress(address)?.path ?? URIReference(address).path
  let host = WebAddress(address)?.site ?? ""
  let steps = path.lowercased().split(separator: "/").map(withoutEnding)
    .filter { !feedWords.contains(String($0)) && !$0.contains("%") }
  // The last segment of a file's path describes it best. A web address needs its whole path.
  return ([withoutEnding(host)] + (host.isEmpty ? steps.suffix(1) : steps)).filter { !$0.isEmpty }.joined(
    separator: "-")
}

private let feedWords: Set = ["", "atom", "feed", "feeds", "index", "rdf", "rss", "rss2", "xml"]

/// The source that a person names: pages or feeds on the web, or a file of this machine.
public enum TypedAddress: Equatable, Sendable {
  /// The addresses to try; a later one only if the server of the one before cannot be reached.
  case web([WebAddress])
  case file(FileAddress)

  /// Why a text is not such an address.
  public enum Problem: Error, Equatable, Sendable {
    /// It contains a user name or a password; the text is masked.
    case credentials(String)
    /// It is not an http, https or file address; the text is masked.
    case unusable(String)
  }

  /// Reads an address as browsers do: without a scheme it is https, or http if that cannot be reached.
  ///
  /// Also accepted are the `feed:` schemes of old browsers, absolute paths, and `@user@host` of the Fediverse.
  public init(_ typed: String) throws(Problem) {
    let trimmed = typed.trimmed(where: \.isWhitespace)
    let text = Self.completed(withoutFeedScheme(String(trimmed)))
    let masked = cleanText(URIReference(String(text.prefix(200))).masked.text, limit: 200)
    // Servers and proxies refuse longer ones (RFC 9110 section 4.1 asks for 8000 octets).
    guard text.utf8.count <= 8192, !text.hasPrefix(".") else { throw .unusable(masked) }
    if text.hasPrefix("/"), !text.hasPrefix("//"), !text.hasSuffix("/") {
      self = .file(FileAddress(path: text))
      return
    }
    if let file = FileAddress(text), !file.path.hasSuffix("/") {
      self = .file(file)
      return
    }
    let spelled = text.contains("://") ? [text] : ["https://" + text, "http://" + text]
    let addresses = spelled.compactMap(WebAddress.init)
    guard let first = addresses.first else { throw .unusable(masked) }
    guard !first.hasUser else { throw .credentials(first.masked) }
    self = .web(addresses)
  }

  /// The page of an account such as `@user@host`; any other text unchanged.
  private static func completed(_ text: String) -> String {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].isEmpty, !parts[1].isEmpty, parts[2].contains(".") else { return text }
    return "https://\(parts[2])/@\(parts[1])"
  }
}

extension FetchFailure {
  /// Whether http may be tried instead of https, for an address that was typed without a scheme.
  ///
  /// A public server with a bad certificate is not asked again without encryption.
  public func allowsPlainHTTP(to address: WebAddress) -> Bool {
    switch self {
    case .refused, .unreachable, .connectTimeout: true
    case .tls, .cut: !address.isPublicHost
    default: false
    }
  }
}
