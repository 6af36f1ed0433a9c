// Where relative references begin (RFC 3986 section 5.2), with the work that all references at one base share done once.

/// A base address: its directory is normalized once, when the first reference needs it.
///
/// Resolving takes time in proportion to the reference and the result, never to the segments of the base.
public struct BaseAddress: Sendable {
  /// The base as written.
  public let reference: URIReference
  private var directory: Directory?

  /// A base at a reference.
  public init(_ reference: URIReference) {
    self.reference = reference
  }

  /// The path up to its last slash, without dot segments.
  private struct Directory {
    let text: String
    /// Where the path ends after no segment, after one, and so on.
    let ends: [String.Index]

    init(of base: URIReference) {
      guard let slash = base.path.utf8.lastIndex(of: UInt8(ascii: "/")) else {
        text = base.authority == nil ? "" : "/"
        ends = [text.endIndex]
        return
      }
      text = withoutDotSegments(base.path[...slash])
      var ends = text.utf8.first == UInt8(ascii: "/") ? [] : [text.startIndex]
      for index in text.utf8.indices where text.utf8[index] == UInt8(ascii: "/") {
        ends.append(text.utf8.index(after: index))
      }
      self.ends = ends
    }
  }

  /// Where a reference leads when it stands at this base (RFC 3986 section 5.2.2).
  public mutating func resolve(_ relative: URIReference) -> URIReference {
    var target = relative
    guard relative.scheme == nil else {
      target.path = withoutDotSegments(target.path[...])
      return target
    }
    target.scheme = reference.scheme
    guard relative.authority == nil else {
      target.path = withoutDotSegments(target.path[...])
      return target
    }
    target.authority = reference.authority
    if relative.path.isEmpty {
      target.path = reference.path
      if relative.query == nil { target.query = reference.query }
    } else if relative.path.utf8.first == UInt8(ascii: "/") {
      target.path = withoutDotSegments(target.path[...])
    } else {
      let directory = directory ?? Directory(of: reference)
      self.directory = directory
      let (levelsUp, rest) = normalized(relative.path[...])
      let end = directory.ends[max(0, directory.ends.count - 1 - levelsUp)]
      target.path = directory.text[..<end] + rest
    }
    return target
  }
}

/// A path without dot segments (RFC 3986 section 5.2.4).
private func withoutDotSegments(_ path: Substring) -> String {
  guard path.utf8.first == UInt8(ascii: "/") else { return normalized(path).rest }
  return "/" + normalized(path.dropFirst()).rest
}

/// A path that does not begin with a slash without dot segments, and how many segments before it go.
private func normalized(_ path: Substring) -> (levelsUp: Int, rest: String) {
  guard path.utf8.contains(UInt8(ascii: ".")) else { return (0, String(path)) }
  var levelsUp = 0
  // Segments that are kept, each with the slash behind it.
  var rest: [UInt8] = []
  rest.reserveCapacity(path.utf8.count)
  let slash = UInt8(ascii: "/")
  var left = path.utf8[...]
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
