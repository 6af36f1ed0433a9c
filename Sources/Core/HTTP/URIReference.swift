// URI references: their components (RFC 3986 section 3) and their resolution at a base (section 5.2).

/// A URI reference split into its components, without validation or normalization.
public struct URIReference: Equatable, Sendable {
  public var scheme: String?
  /// The text between `//` and the path.
  public var authority: String?
  public var path: String
  public var query: String?
  public var fragment: String?

  /// Splits a text as RFC 3986 appendix B does.
  public init(_ text: String) {
    var text = text
    self = text.withUTF8 { URIReference(Parts($0)) }
  }

  private init(_ parts: Parts) {
    func text(_ part: Parts.Bytes) -> String { String(decoding: part, as: UTF8.self) }
    scheme = parts.scheme.map(text)
    authority = parts.authority.map(text)
    path = text(parts.path)
    query = parts.query.map(text)
    fragment = parts.fragment.map(text)
  }

  /// The components as parts of the bytes of a text, for callers that need only some of them.
  struct Parts {
    typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

    var scheme: Bytes?
    var authority: Bytes?
    var path: Bytes
    var query: Bytes?
    var fragment: Bytes?

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
      var rest = bytes[...]
      func cutOff(from mark: UInt8) -> Bytes? {
        guard let index = rest.firstIndex(of: mark) else { return nil }
        defer { rest = rest[..<index] }
        return rest[(index + 1)...]
      }
      fragment = cutOff(from: "#")
      query = cutOff(from: "?")
      if let colon = rest.firstIndex(of: ":"), isScheme(rest[..<colon]) {
        scheme = rest[..<colon]
        rest = rest[(colon + 1)...]
      }
      let slash: UInt8 = "/"
      if rest.first == slash, rest.dropFirst().first == slash {
        rest = rest.dropFirst(2)
        let end = rest.firstIndex(of: slash) ?? rest.endIndex
        authority = rest[..<end]
        rest = rest[end...]
      }
      path = rest
    }
  }

  public var text: String {
    // Without strings in between, which are most of the work of resolving a link.
    var text = scheme ?? ""
    if scheme != nil { text += ":" }
    if let authority {
      text += "//"
      text += authority
    }
    text += path
    if let query {
      text += "?"
      text += query
    }
    if let fragment {
      text += "#"
      text += fragment
    }
    return text
  }

  /// Whether the reference has no scheme or the scheme `file`.
  public var isRelativeOrFile: Bool { scheme.map { $0.lowercased() == "file" } ?? true }

  /// The reference with the user part and the values of the query masked, because they may be secret.
  public var masked: URIReference {
    var copy = self
    if let authority, let at = authority.utf8.lastIndex(of: "@") {
      copy.authority = "***" + authority[at...]
    }
    if let query, !query.isEmpty {
      copy.query = query.utf8.split(separator: "&", omittingEmptySubsequences: false).map {
        pair in
        pair.firstIndex(of: "=").map { Substring(pair[..<$0]) + "=***" } ?? "***"
      }.joined(separator: "&")
    }
    return copy
  }

  /// The target of this reference at a base (RFC 3986 section 5.2.2).
  public func resolved(against base: URIReference) -> URIReference {
    var target = self
    if scheme == nil {
      target.scheme = base.scheme
      if authority == nil {
        target.authority = base.authority
        if path.isEmpty {
          target.path = base.path
          if query == nil { target.query = base.query }
          return target
        }
        if path.utf8.first != "/" {
          let slash = base.path.utf8.lastIndex(of: "/")
          target.path = (slash.map { base.path[...$0] } ?? (base.authority == nil ? "" : "/")) + path
        }
      }
    }
    target.path = withoutDotSegments(target.path)
    return target
  }
}

/// An address without query and fragment, which podcasts use to count listeners.
func withoutParameters(_ address: String) -> String {
  var reference = URIReference(address)
  reference.query = nil
  reference.fragment = nil
  return reference.text
}

private func isScheme(_ text: URIReference.Parts.Bytes) -> Bool {
  guard let first = text.first, first.isASCIILetter else { return false }
  return text.allSatisfy { $0.isASCIILetterOrDigit || $0 == "+" || $0 == "-" || $0 == "." }
}

/// A path without its dot segments (RFC 3986 section 5.2.4).
private func withoutDotSegments(_ path: String) -> String {
  guard path.utf8.contains(".") else { return path }
  let slash: UInt8 = "/"
  // The kept segments, each with the slash after it.
  var kept: [UInt8] = []
  kept.reserveCapacity(path.utf8.count)
  var left = path.utf8[...]
  let start = left.first == slash ? "/" : ""
  left = left.dropFirst(start.utf8.count)
  while true {
    let end = left.firstIndex(of: slash)
    let segment = left[..<(end ?? left.endIndex)]
    if segment.elementsEqual("..".utf8) {
      _ = kept.popLast()
      while let last = kept.last, last != slash { kept.removeLast() }
    } else if !segment.elementsEqual(".".utf8) {
      kept.append(contentsOf: segment)
      if end != nil { kept.append(slash) }
    }
    guard let end else { return start + String(decoding: kept, as: UTF8.self) }
    left = left[left.index(after: end)...]
  }
}
