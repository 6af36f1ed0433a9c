// Settings of other programs that are about all of their feeds.

/// A setting that an import uses beside its feeds: one of these.
public struct ListSetting: Equatable, Sendable {
  /// The hook of a first configuration.
  public var mail: MailHook?
  /// The documents directory of a first configuration.
  public var documents: String?
  /// `download.keep` of the podcasts of the import.
  public var keep: String?

  /// Whether a configuration has the hook or the directory already.
  ///
  /// - Parameter home: the home directory that `~` stands for.
  public func isPart(of settings: Settings, home: String) -> Bool {
    if let mail {
      return settings.hooks.contains { hook in
        if case .mail(let addresses) = hook.stdin { addresses.to == mail.to } else { false }
      }
    }
    return documents.map { $0.hasPrefix("~/") ? home + $0.dropFirst() : $0 } == settings.documents
  }
}

/// The mails of another program, as a hook.
public struct MailHook: Equatable, Sendable {
  let to: [String]
  let from: String?
  /// Whether one mail has several articles.
  public let isDigest: Bool

  /// - Parameters:
  ///   - to: addresses with or without names, with commas between them.
  ///   - from: the sender, also with or without a name.
  public init?(to: String, from: String = "", isDigest: Bool = false) {
    self.to = to.split(separator: ",").map(bareAddress)
    let sender = bareAddress(from[...])
    self.from = isMailAddress(sender) ? sender : nil
    self.isDigest = isDigest
    guard !self.to.isEmpty, self.to.allSatisfy(isMailAddress) else { return nil }
  }

  /// The keys of the hook.
  public var keys: [(name: String, value: JSONValue)] {
    var keys: [(name: String, value: JSONValue)] = [
      ("to", to.count == 1 ? .string(to[0]) : .array(to.map(JSONValue.string)))
    ]
    if let from { keys.append(("from", .string(from))) }
    if isDigest { keys += [("digest", .string(Self.digestTime)), ("articles", .bool(true))] }
    return keys
  }

  /// The hook as a text for a person; JSON is YAML, too.
  var text: String { "mail: " + JSONValue.object(keys).text }

  /// Whole articles need a digest, and a digest a time.
  private static let digestTime = "0 7 * * *"
}

/// The address in a text such as `Ada <ada@x.example>`.
private func bareAddress(_ text: Substring) -> String {
  let inside = text.split(separator: "<").last?.prefix { $0 != ">" } ?? ""
  return inside.filter { !$0.isWhitespace }
}

/// Whether a text can be an address in a header of mail as it is: ASCII without blanks, names, comments or quotes.
public func isMailAddress(_ text: String) -> Bool {
  let parts = text.split(separator: "@", omittingEmptySubsequences: false)
  return text.utf8.count <= 254 && parts.count <= 2 && parts.allSatisfy { !$0.isEmpty }
    && !text.hasPrefix("-")
    && text.utf8.allSatisfy { (0x21..<0x7F).contains($0) && !"<>()[],;:\\\"".utf8.contains($0) }
}
