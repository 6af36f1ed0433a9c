// Where the feeds are in one file of the configuration, in bytes of its text, so that an edit leaves the rest
// unchanged. The places come from libyaml's marks.

/// The places of the feeds in one file.
struct FeedsOutline {
  /// One feed.
  struct Entry {
    var name: String
    var key: Range<Int>
    /// The end of its value, without trailing white space.
    var end: Int
  }

  enum Form {
    /// The file has no key `feeds`.
    case missing
    /// The key has no value: nothing, `~` or `null`, at this place.
    case null(Range<Int>)
    /// Each feed on lines of its own.
    case block
    /// Feeds between these two braces.
    case flow(open: Int, close: Int)
    /// An alias, a key that is there twice, or something else that is not edited.
    case other
  }

  /// The form of the whole file; a file that has only comments has none.
  enum Root {
    case none
    case block(indentation: Int)
    case flow
  }

  var root = Root.none
  var form = Form.missing
  /// The key `feeds`.
  var key = 0..<0
  var entries: [Entry] = []
  /// Where the document ends: before `...`, or at the end of the text.
  var end: Int

  /// Parses a text; nil if it is not one YAML document.
  init?(_ text: EditedText) {
    let read = text.bytes[text.start...].withUnsafeBufferPointer { bytes -> OutlineWalk? in
      guard let events = EventParser(bytes) else { return nil }
      var reader = OutlineReader(events: events)
      return try? reader.read()
    }
    guard let found = read else { return nil }
    end = text.offset(ofCharacter: found.documentEnd ?? .max)
    if let first = found.firstKey {
      let start = text.offset(ofCharacter: first)
      root = found.isFlow ? .flow : .block(indentation: start - text.lineStart(of: start))
    } else if found.isFlow {
      root = .flow
    }
    guard let key = found.feedsKey else { return }
    self.key = text.offsets(ofCharacters: key)
    switch found.form {
    case .null(let span): form = .null(text.offsets(ofCharacters: span))
    case .flow(let open, let close):
      form = .flow(open: text.offset(ofCharacter: open), close: text.offset(ofCharacter: close))
    case .missing, .block, .other: form = found.form
    }
    // In the order of the text, so that characters are counted once.
    var cursor = text.cursor()
    entries = found.entries.map { entry in
      let start = cursor.offset(ofCharacter: entry.key.lowerBound)
      let keyEnd = cursor.offset(ofCharacter: entry.key.upperBound)
      let end = cursor.offset(ofCharacter: entry.end)
      return Entry(name: entry.name, key: start..<keyEnd, end: text.withoutBlanks(upTo: end, from: keyEnd))
    }
  }
}

/// The result of one pass over the events, in characters of the text.
private struct OutlineWalk {
  var isFlow = false
  /// The first key of the root.
  var firstKey: Int?
  var feedsKey: Range<Int>?
  var form = FeedsOutline.Form.missing
  var entries: [(name: String, key: Range<Int>, end: Int)] = []
  var documentEnd: Int?
}

/// Reads the events of a text.
private struct OutlineReader: ~Copyable {
  var events: EventParser
  private var walk = OutlineWalk()

  init(events: consuming EventParser) { self.events = events }

  private mutating func next() throws(SyntaxFault) -> YAMLEvent { try events.next() }

  mutating func read() throws(SyntaxFault) -> OutlineWalk {
    guard case .documentStart = try next().kind else { return walk }
    let root = try next()
    if case .mappingStart = root.kind {
      try readRoot()
    } else {
      _ = try end(of: root)
    }
    walk.documentEnd = try next().span.lowerBound
    return walk
  }

  private mutating func readRoot() throws(SyntaxFault) {
    while true {
      let key = try next()
      if case .mappingEnd = key.kind {
        walk.isFlow = !key.span.isEmpty
        return
      }
      walk.firstKey = walk.firstKey ?? key.span.lowerBound
      var isFeeds = false
      if case .scalar(let scalar) = key.kind {
        isFeeds = scalar.text == "feeds"
      } else {
        _ = try end(of: key)
      }
      let value = try next()
      if isFeeds, walk.feedsKey == nil {
        walk.feedsKey = key.span
        walk.form = try readFeeds(value)
      } else {
        // A second `feeds` is a mistake: which one would be edited?
        if isFeeds { walk.form = .other }
        _ = try end(of: value)
      }
    }
  }

  private mutating func readFeeds(_ value: YAMLEvent) throws(SyntaxFault) -> FeedsOutline.Form {
    switch value.kind {
    case .scalar(let scalar) where scalar.isPlain && value.anchor == nil && value.tag == nil:
      return .null(value.span)
    case .mappingStart:
      while true {
        let key = try next()
        if case .mappingEnd = key.kind {
          guard !key.span.isEmpty else { return .block }
          return .flow(open: value.span.upperBound - 1, close: key.span.lowerBound)
        }
        var name = ""
        if case .scalar(let scalar) = key.kind { name = scalar.text } else { _ = try end(of: key) }
        walk.entries.append((name, key.span, try end(of: next())))
      }
    default:
      _ = try end(of: value)
      return .other
    }
  }

  /// Reads to the end of a value; returns the end of its last character.
  ///
  /// libyaml ends a block where the next token begins, so the end of its last value counts.
  private mutating func end(of event: YAMLEvent) throws(SyntaxFault) -> Int {
    var depth = 0
    var last = event.span.upperBound
    var event = event
    while true {
      switch event.kind {
      case .mappingStart, .sequenceStart:
        depth += 1
        last = event.span.upperBound
      case .mappingEnd, .sequenceEnd:
        depth -= 1
        if !event.span.isEmpty { last = event.span.upperBound }
      default: last = event.span.upperBound
      }
      if depth == 0 { return last }
      guard depth <= deepestNesting else {
        throw SyntaxFault(
          problem: "nested too deep", place: event.place, context: "", contextPlace: event.place)
      }
      event = try next()
    }
  }
}
