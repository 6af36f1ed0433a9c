// The tags and the text of HTML, one after the other: of an article, or of a page that links to feeds.

/// Reads HTML in one pass, in linear time for any text.
///
/// It knows no nesting: end tags may be missing or have no start.
public struct HTMLScanner {
  /// A piece of the markup.
  public enum Event {
    /// Text with its character references resolved.
    case text(String)
    case start(Tag)
    /// The name of an end tag, in lower case.
    case end(String)
  }

  /// A start tag.
  public struct Tag {
    /// In lower case.
    public var name: String
    fileprivate var attributes: [(name: String, value: String)] = []

    /// The value of an attribute, with its character references resolved.
    public subscript(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  /// Elements whose content is not for readers.
  public static let hidden: Set<String> = [
    "script", "style", "template", "noscript", "head", "title", "svg", "math", "noembed", "noframes",
    "object",
    "select", "textarea",
  ]

  /// The elements whose content is passed over.
  private let hidden: Set<String>

  public init(_ bytes: UnsafeBufferPointer<UInt8>, hiding hidden: Set<String> = hidden) {
    (self.bytes, self.hidden) = (bytes, hidden)
  }

  public mutating func next() -> Event? {
    while position < bytes.count {
      let end = nextMarkup
      if end > position {
        defer { position = end }
        return .text(string(withoutReferences(UnsafeBufferPointer(rebasing: bytes[position..<end]))))
      }
      switch bytes[position + 1] {
      case UInt8(ascii: "!"), UInt8(ascii: "?"): position = endOfHTMLComment(in: bytes, at: position)
      case UInt8(ascii: "/"):
        position += 2
        let name = name()
        position = firstIndex(of: UInt8(ascii: ">"), in: bytes, from: position).map { $0 + 1 } ?? bytes.count
        return .end(name)
      default:
        let tag = tag()
        guard hidden.contains(tag.name) else { return .start(tag) }
        position = endOfRawHTML(in: bytes, from: position) { string($0).lowercased() == tag.name }
      }
    }
    return nil
  }

  /// The index of the next tag or comment; any other `<` is text.
  private var nextMarkup: Int {
    var index = position
    while let open = firstIndex(of: UInt8(ascii: "<"), in: bytes, from: index) {
      index = open + 1
      guard index < bytes.count else { break }
      let next = bytes[index]
      if next.isASCIILetter || next == UInt8(ascii: "!") || next == UInt8(ascii: "?") { return open }
      if next == UInt8(ascii: "/"), index + 1 < bytes.count, bytes[index + 1].isASCIILetter { return open }
    }
    return bytes.count
  }

  /// Reads a start tag, with its `>`.
  private mutating func tag() -> Tag {
    position += 1
    var tag = Tag(name: name())
    while let (name, value) = parseHTMLAttribute(in: bytes, &position) {
      tag.attributes.append(
        (
          string(bytes[name.prefix(64)]).lowercased(),
          string(withoutReferences(UnsafeBufferPointer(rebasing: bytes[value])))
        ))
    }
    position += 1
    return tag
  }

  private mutating func name() -> String {
    let start = position
    while position < bytes.count, !endsHTMLName(bytes[position]) { position += 1 }
    return string(bytes[start..<min(position, start + 64)]).lowercased()
  }

  private func string(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
