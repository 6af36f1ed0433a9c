// A new name of a feed in the text of a configuration, also where hooks and outputs name it; everything else stays byte for byte.

public import Core

/// The text of a file in which a feed has another name, and lists of feeds, too.
///
/// The text is unchanged if it does not have the name. A list that is an alias, or that selects the feed by a glob, stays.
///
/// - Throws: the refusal, if the file is not YAML, or spells the name of the feed in an unusual way.
public func renaming(_ rename: FeedRename, in bytes: [UInt8]) throws(Refusal) -> [UInt8] {
  let text = EditedText(bytes)
  let found = text.bytes[text.start...].withUnsafeBufferPointer { bytes -> [NameReader.Place]? in
    guard let events = EventParser(bytes) else { return nil }
    var reader = NameReader(events: events, cursor: text.cursor(), name: rename.former.text)
    return try? reader.read()
  }
  guard let found else { throw .unreadable }
  var changes: [(Range<Int>, [UInt8])] = []
  for place in found {
    let former = Array(rename.former.text.utf8)
    let isQuoted = "\"'".utf8.contains(bytes[place.span.upperBound - 1])
    // An anchor or a tag may be before it.
    let end = place.span.upperBound - (isQuoted ? 1 : 0)
    let start = end - former.count
    guard start >= place.span.lowerBound, bytes[start..<end].elementsEqual(former) else {
      if place.isFeed { throw .notEditable }
      continue
    }
    let name = isQuoted ? rename.name.text : yamlText(rename.name.text)
    changes.append((start..<end, Array(name.utf8)))
  }
  return text.replacing(changes)
}

/// Finds the places of a name of a feed.
private struct NameReader: ~Copyable {
  struct Place {
    var span: Range<Int>
    /// Whether it is the key of the feed itself.
    var isFeed: Bool
  }

  private var events: EventParser
  /// Events are in the order of the text.
  private var cursor: EditedText.Cursor
  private let name: String
  private var places: [Place] = []

  init(events: consuming EventParser, cursor: EditedText.Cursor, name: String) {
    self.events = events
    self.cursor = cursor
    self.name = name
  }

  mutating func read() throws(SyntaxFault) -> [Place] {
    if case .documentStart = try events.next().kind { try read(try events.next(), at: []) }
    return places
  }

  /// Reads the value at a path of keys.
  private mutating func read(_ value: YAMLEvent, at path: [String]) throws(SyntaxFault) {
    let isListOfFeeds = path.count == 3 && ["hooks", "outputs"].contains(path[0]) && path[2] == "feeds"
    switch value.kind {
    case .mappingStart where path.count < 3:
      while true {
        let key = try events.next()
        if case .mappingEnd = key.kind { return }
        var text = ""
        if case .scalar(let scalar) = key.kind { text = scalar.text } else { _ = try events.end(of: key) }
        if path == ["feeds"], text == name { record(key, isFeed: true) }
        try read(try events.next(), at: path + [text])
      }
    case .sequenceStart where isListOfFeeds:
      while true {
        let element = try events.next()
        if case .sequenceEnd = element.kind { return }
        if case .scalar(let scalar) = element.kind {
          if scalar.text == name { record(element) }
        } else {
          _ = try events.end(of: element)
        }
      }
    case .scalar(let scalar):
      if isListOfFeeds, scalar.text == name { record(value) }
    default: _ = try events.end(of: value)
    }
  }

  private mutating func record(_ event: YAMLEvent, isFeed: Bool = false) {
    let start = cursor.offset(ofCharacter: event.span.lowerBound)
    places.append(Place(span: start..<cursor.offset(ofCharacter: event.span.upperBound), isFeed: isFeed))
  }
}
