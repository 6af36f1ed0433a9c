// The address that a person types for a new feed, with or without its scheme.

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
    let text = Self.completed(withoutFeedScheme(String(typed.trimmed)))
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

extension String {
  /// The text without white space around it.
  fileprivate var trimmed: Substring.UnicodeScalarView {
    let isBlank = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
    let start = unicodeScalars.firstIndex { !isBlank($0) } ?? unicodeScalars.endIndex
    let end = unicodeScalars.lastIndex { !isBlank($0) }.map(unicodeScalars.index(after:)) ?? start
    return self[start..<end].unicodeScalars
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
