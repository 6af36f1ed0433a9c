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

// MARK: Titles

/// The words of a title that make a name: "LWN.net" is lwn, "Ars Technica - All content" is ars-technica.
///
/// Left out are sections that say only that this is a feed, such words at the end, and the ending of a host's name.
private func nameWords(ofTitle title: String, limit: Int) -> String? {
  var sections = sections(of: title)
  while sections.count > 1, let last = sections.last, isFiller(last) { sections.removeLast() }
  while sections.count > 1, let first = sections.first, isFiller(first) { sections.removeFirst() }
  var words = sections.joined(separator: " ").split { $0.isWhitespace }.map(withoutHostEnding)
  while words.count > 1, let last = words.last, formatWords.contains(plain(last)) { words.removeLast() }
  return latinWords(words.joined(separator: " "), limit: limit)
}

/// The parts of a title between marks such as " - ", " | " and " » ".
private func sections(of title: String) -> [String] {
  var sections: [[Substring]] = [[]]
  for word in title.prefix(1000).split(whereSeparator: \.isWhitespace) {
    if word.count <= 2, word.allSatisfy({ "-–—|:·•»«/>".contains($0) }) {
      sections.append([])
    } else {
      sections[sections.count - 1].append(word)
    }
  }
  return sections.filter { !$0.isEmpty }.map { $0.joined(separator: " ") }
}

/// Whether a section has only words that many feeds have.
private func isFiller(_ section: String) -> Bool {
  section.split(separator: " ").allSatisfy { fillers.contains(plain($0)) }
}

private func plain(_ word: Substring) -> String {
  word.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "." }
}

/// A word without the ending of a host's name, and without a mark after that.
private func withoutHostEnding(_ word: Substring) -> Substring {
  var word = word
  while let last = word.last, ":;,!?".contains(last) { word.removeLast() }
  guard let dot = word.lastIndex(of: "."), dot > word.startIndex,
    hostEndings.contains(word[word.index(after: dot)...].lowercased())
  else { return word }
  return word[..<dot]
}

private let hostEndings: Set = [
  "app", "at", "blog", "ca", "ch", "co", "com", "de", "dev", "edu", "es", "eu", "fm", "fr", "gov", "info",
  "io", "it", "me", "net", "news", "nl", "org", "pl", "se", "tv", "uk", "us",
]

private let formatWords: Set = ["atom", "atom1.0", "feed", "feeds", "rss", "rss2.0", "xml"]

private let fillers = formatWords.union([
  "", "all", "and", "archive", "articles", "blog", "complete", "content", "default", "entries", "episodes",
  "from", "full", "headlines", "home", "homepage", "index", "latest", "main", "new", "newest", "news", "of",
  "page", "posts", "recent", "releases", "site", "stories", "text", "the", "top", "updates", "web", "website",
  "alle", "aktuell", "artikel", "beiträge", "meldungen", "nachrichten", "startseite",
])

// MARK: Addresses

/// A short description of an address: its host and the meaningful steps of its path.
///
/// The query is left out. It may be secret, and names are printed everywhere.
private func describedAddress(_ address: String) -> String {
  let path = FileAddress(address)?.path ?? URIReference(address).path
  var host = (WebAddress(address)?.host ?? "")[...]
  if host.hasPrefix("www.") { host = host.dropFirst(4) }
  if NetworkAddress(String(host)) == nil { host = withoutHostEnding(host) }
  let steps = path.lowercased().split(separator: "/").map { step in
    let dot = step.lastIndex(of: ".") ?? step.endIndex
    return fileEndings.contains(step[dot...]) ? step[..<dot] : step
  }
  let meaningful = steps.filter { !commonSteps.contains($0) && !$0.contains("%") }
  // The last segment of a file's path describes it best. A web address needs its whole path.
  return ([host] + (host.isEmpty ? meaningful.suffix(1) : meaningful)).filter { !$0.isEmpty }.joined(
    separator: "-")
}

private let fileEndings: Set<Substring> = [
  ".xml", ".rss", ".rdf", ".atom", ".json", ".php", ".html", ".htm", ".aspx",
]

private let commonSteps: Set<Substring> = [
  "feed", "feeds", "rss", "rss2", "atom", "xml", "rdf", "index", "default",
]

/// The source that a person names: pages or feeds on the web, or a file of this machine.
public enum TypedAddress: Hashable, Sendable {
  /// The addresses to try; a later one only if the server of the one before cannot be reached.
  case web([WebAddress])
  case file(FileAddress)

  /// Why a text is not such an address.
  public enum Problem: Error, Hashable, Sendable {
    /// It contains a user name or a password; the text is masked.
    case credentials(String)
    /// It is not an http, https or file address; the text is masked.
    case unusable(String)
  }

  /// Reads an address as browsers do: without a scheme it is https, or http if that cannot be reached.
  ///
  /// Also accepted are the `feed:` schemes of old browsers, absolute paths, and `@user@host` of the Fediverse.
  public init(_ typed: String) throws(Problem) {
    let trimmed = typed.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
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
