// The tags of HTML that is changed in place.

/// The start tags where browsers see them: SVG and MathML have CDATA sections, and tags in `style`, `title` and the like.
public struct HTMLStartTags {
  private var builder: HTMLTreeBuilder

  /// The start tags of the content of an item.
  public init(_ source: UnsafeBufferPointer<UInt8>) {
    builder = HTMLTreeBuilder(
      source, isItem: true, hasSections: false, attributes: .asWritten, shouldStop: { false })
  }

  /// The place from which the source was not read, because it has too many nodes.
  public var readEnd: Int { builder.readEnd }
  /// All attributes of the last tag, even if a name is repeated.
  public var attributes: [HTMLTokenizer.Attribute] { builder.tokens.attributes }

  /// The next start tag; nil at the end.
  public mutating func next() -> HTMLTokenizer.Tag? {
    while let token = builder.next() {
      if case .start(let tag) = token { return tag }
    }
    return nil
  }
}
