// The door of this module: bytes to a feed. Decoding, recognition and the formats are in the folders beside.

public import Core

/// Reads a feed document of any known format: RSS 0.9x, 1.0 and 2.0, Atom 0.3 and 1.0, JSON Feed, CDF; or any JSON as
/// a mapping says.
///
/// Broken documents are read as far as they make sense; a document whose end is missing gives its whole items and
/// `isComplete` false, except JSON, of which nothing can be trusted then. Items that say nothing are left out. Nothing
/// outside the document is read and nothing in it is expanded; time and memory are proportional to its size.
///
/// - Parameters:
///   - bytes: the body as it came, after transfer and content encodings are undone.
///   - kind: what the configuration says of it.
///   - contentType: the value of the HTTP field, for its `charset`; a document's own word and its bytes correct it.
///   - address: where the document came from; relative links in it begin there.
///   - shouldStop: asked now and then; once it says so, reading fails with `.stopped`.
/// - Returns: what the document says, its items in their order.
/// - Throws: what the bytes are instead of a feed.
public func readFeed(
  _ bytes: [UInt8], as kind: FeedKind = .feed, contentType: String?, address: String?,
  shouldStop: @escaping ShouldStop = { false }
) throws(FeedReadingFailure) -> ParsedFeed {
  if let kind = fileKind(bytes) { throw .other(kind) }
  let text = decodedText(bytes, contentType: contentType, shouldStop: shouldStop)
  guard let first = text.first(where: { $0 > 0x20 }) else { throw .empty }
  let result = text.withUnsafeBufferPointer { source -> Result<ParsedFeed, FeedReadingFailure> in
    if case .json(let mapping) = kind {
      return readMappedJSON(source, mapping, address: address, shouldStop: shouldStop)
    }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      return readJSONFeed(source, address: address, shouldStop: shouldStop)
    }
    return readXMLFeed(source, address: address, shouldStop: shouldStop)
  }
  return try result.get()
}

/// Reads a document that is no JSON.
private func readXMLFeed(
  _ source: UnsafeBufferPointer<UInt8>, address: String?, shouldStop: @escaping ShouldStop
) -> Result<ParsedFeed, FeedReadingFailure> {
  var xml = XMLScanner(source, address: address, shouldStop: shouldStop)
  let result: Result<ParsedFeed, FeedReadingFailure>
  switch xml.findRoot() {
  case .rss(let format):
    var reader = RSSReader(format: format)
    result = .success(reader.read(&xml))
  case .atom(let format):
    var reader = AtomReader(format: format)
    result = .success(reader.read(&xml))
  case .html:
    result = .failure(.html)
  case .other(let found):
    result = .failure(.unknown(found))
  }
  return xml.isStopped ? .failure(.stopped) : result
}
