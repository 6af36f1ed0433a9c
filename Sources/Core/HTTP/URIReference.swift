// URI references: their components (RFC 3986 section 3) and their resolution at a base (section 5.2).

/// A URI reference split into its components, without validation or normalization.
public struct URIReference: Hashable, Sendable {
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
      fragment = cutOff(from: UInt8(ascii: "#"))
      query = cutOff(from: UInt8(ascii: "?"))
      if let colon = rest.firstIndex(of: UInt8(ascii: ":")), isScheme(rest[..<colon]) {
        scheme = rest[..<colon]
        rest = rest[(colon + 1)...]
      }
      let slash = UInt8(ascii: "/")
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
    if let authority, let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) {
      copy.authority = "***" + authority[at...]
    }
    if let query, !query.isEmpty {
      copy.query = query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map {
        pair in
        pair.firstIndex(of: UInt8(ascii: "=")).map { Substring(pair[..<$0]) + "=***" } ?? "***"
      }.joined(separator: "&")
    }
    return copy
  }

  /// The target of this reference at a base (RFC 3986 section 5.2.2); one `BaseAddress` is faster for many references.
  public func resolved(against base: URIReference) -> URIReference {
    var base = BaseAddress(base)
    return base.resolve(self)
  }
}

private func isScheme(_ text: URIReference.Parts.Bytes) -> Bool {
  guard let first = text.first, first.isASCIILetter else { return false }
  return text.allSatisfy { byte in
    byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "+")
      || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }
}

/// A base address, whose directory is normalized once.
///
/// Resolving takes time in proportion to the reference and the result, not to the segments of the base.
public struct BaseAddress: Sendable {
  public let reference: URIReference
  private var directory: Directory?

  public init(_ reference: URIReference) {
    self.reference = reference
  }

  private struct Directory {
    let text: String
    /// The end of the path after zero segments, after one, and so on.
    lazy var ends: [String.Index] = {
      var ends = text.utf8.first == UInt8(ascii: "/") ? [] : [text.startIndex]
      for index in text.utf8.indices where text.utf8[index] == UInt8(ascii: "/") {
        ends.append(text.utf8.index(after: index))
      }
      return ends
    }()

    init(of base: URIReference) {
      if let slash = base.path.utf8.lastIndex(of: UInt8(ascii: "/")) {
        text = withoutDotSegments(String(base.path.utf8[...slash]) ?? "")
      } else {
        text = base.authority == nil ? "" : "/"
      }
    }

    /// The text without the last segments, as far as there are so many.
    mutating func up(_ levels: Int) -> String {
      levels == 0 ? text : String(text[..<ends[max(0, ends.count - 1 - levels)]])
    }
  }

  /// The target of a reference at this base (RFC 3986 section 5.2.2).
  public mutating func resolve(_ relative: URIReference) -> URIReference {
    var target = relative
    guard relative.scheme == nil else {
      target.path = withoutDotSegments(target.path)
      return target
    }
    target.scheme = reference.scheme
    guard relative.authority == nil else {
      target.path = withoutDotSegments(target.path)
      return target
    }
    target.authority = reference.authority
    if relative.path.isEmpty {
      target.path = reference.path
      if relative.query == nil { target.query = reference.query }
    } else if relative.path.utf8.first == UInt8(ascii: "/") {
      target.path = withoutDotSegments(target.path)
    } else {
      if directory == nil { directory = Directory(of: reference) }
      let (levelsUp, rest) = normalized(relative.path)
      target.path = (directory?.up(levelsUp) ?? "") + rest
    }
    return target
  }
}

private func withoutDotSegments(_ path: String) -> String {
  guard path.utf8.contains(UInt8(ascii: ".")) else { return path }
  return (path.utf8.first == UInt8(ascii: "/") ? "/" : "") + normalized(path).rest
}

/// A path without its first slash and without dot segments, and the number of segments before it to remove.
private func normalized(_ path: String) -> (levelsUp: Int, rest: String) {
  guard path.utf8.contains(UInt8(ascii: ".")) else { return (0, path) }
  var levelsUp = 0
  // The kept segments, each with the slash after it.
  var rest: [UInt8] = []
  rest.reserveCapacity(path.utf8.count)
  let slash = UInt8(ascii: "/")
  var left = path.utf8[...]
  if left.first == slash { left = left.dropFirst() }
  while true {
    let end = left.firstIndex(of: slash)
    let segment = left[..<(end ?? left.endIndex)]
    if segment.elementsEqual("..".utf8) {
      if rest.isEmpty {
        levelsUp += 1
      } else {
        rest.removeLast()
        while let last = rest.last, last != slash { rest.removeLast() }
      }
    } else if !segment.elementsEqual(".".utf8) {
      rest.append(contentsOf: segment)
      if end != nil { rest.append(slash) }
    }
    guard let end else { return (levelsUp, String(decoding: rest, as: UTF8.self)) }
    left = left[left.index(after: end)...]
  }
}
