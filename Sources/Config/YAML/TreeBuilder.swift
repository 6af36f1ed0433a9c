// The values of a YAML text, each with its location, built from events: one document, each key once, anchors resolved, depth
// and size bounded. Sections give keys their meaning.

import Core

/// A location in the configuration file.
struct Location: Hashable, Comparable {
  var line: Int32
  var column: Int32

  static let start = Location(line: 1, column: 1)

  static func < (left: Location, right: Location) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}

struct Node {
  /// The location of the value; for an alias, the location of the anchored value, which is the text to correct.
  let location: Location
  /// The characters of the value, or of its alias, counted from the beginning of the text.
  let span: Range<Int32>
  let content: Content

  enum Content {
    /// Text without a type.
    case scalar(Scalar)
    case sequence([Node])
    /// A mapping, in order, each key once.
    case mapping([Entry])
    /// A value with a reported mistake, which readers ignore.
    case unusable
  }

  struct Entry {
    let key: String
    let location: Location
    /// The first character of the key, counted from the beginning of the text.
    let start: Int32
    let value: Node
  }

  /// The entries of a mapping; none for anything else.
  var entries: [Entry] { if case .mapping(let entries) = content { entries } else { [] } }

  /// The entries of a list; none for anything else.
  var elements: [Node] { if case .sequence(let nodes) = content { nodes } else { [] } }

  /// The value of a key, if this is a mapping that has it.
  subscript(key: String) -> Node? { entries.first { $0.key == key }?.value }

  /// The text of a scalar; nil for anything else.
  var text: String? { if case .scalar(let scalar) = content { scalar.text } else { nil } }

  /// The text of an unquoted scalar; nil for anything else.
  var plainText: String? {
    if case .scalar(let scalar) = content, scalar.isPlain { scalar.text } else { nil }
  }

  /// Whether it is the null of YAML 1.2's core schema: nothing, `~` or `null`, unquoted.
  var isNull: Bool {
    switch plainWord {
    case "", "~", "null", "Null", "NULL": true
    default: false
    }
  }

  /// Whether it is a boolean of YAML 1.2's core schema, unquoted.
  var isBoolean: Bool {
    switch plainWord {
    case "true", "True", "TRUE", "false", "False", "FALSE": true
    default: false
    }
  }

  /// An unquoted text that may be a word of the core schema; nearly all values are longer.
  private var plainWord: String? { plainText.flatMap { $0.utf8.count <= 5 ? $0 : nil } }

  /// The value as JSON, in which only unquoted text is a number, a boolean or null.
  var json: JSONValue {
    switch content {
    case .scalar where isNull: return .null
    case .scalar(let scalar) where isBoolean: return .bool(scalar.text.lowercased() == "true")
    case .scalar(let scalar):
      switch scalar.isPlain ? JSONValue(parsing: scalar.text) : nil {
      case .number(let number)?: return .number(number)
      case .literal(let text)?: return .literal(text)
      default: return .string(scalar.text)
      }
    case .sequence(let nodes): return .array(nodes.map(\.json))
    case .mapping(let entries): return .object(entries.map { ($0.key, $0.value.json) })
    case .unusable: return .null
    }
  }

  /// Whether it is the unquoted word `none`, which removes a value of `defaults`.
  var isNone: Bool { plainText == "none" }
}

struct Scalar {
  /// The text without quotes and escapes.
  let text: String
  /// Whether it is unquoted and not a block of lines.
  let isPlain: Bool
  /// The number of characters before the text: 1 for a quote, otherwise 0; nil if the text has escapes or line
  /// folds, so that its characters cannot be found in the file by counting.
  let lead: Int32?
}

// MARK: Building

/// Parses the one document of a YAML text; nil, with a mistake, if it is invalid or missing.
func composeTree(_ bytes: [UInt8], _ pass: ConfigurationPass, mayBeEmpty: Bool = false) -> Node? {
  compose(bytes, pass) { builder throws(Mistake) in try builder.document(mayBeEmpty: mayBeEmpty) }
}

/// Parses all documents of a YAML text; nil, with a mistake, if it is invalid.
func composeTrees(_ bytes: [UInt8], _ pass: ConfigurationPass) -> [Node]? {
  compose(bytes, pass) { builder throws(Mistake) in try builder.stream() }
}

private func compose<Result>(
  _ bytes: [UInt8], _ pass: ConfigurationPass, _ build: (inout TreeBuilder) throws(Mistake) -> Result?
) -> Result? {
  let source = SourceText(bytes)
  pass.source = source
  do throws(Mistake) {
    return try bytes[source.contentStart...].withUnsafeBufferPointer { text throws(Mistake) -> Result? in
      guard let events = EventParser(text) else {
        throw Mistake(at: .start, "out of memory")
      }
      var builder = TreeBuilder(events: events, source: source, pass: pass)
      return try build(&builder)
    }
  } catch {
    pass.report(error)
    return nil
  }
}

/// The maximum depth of values: deeper than any key, shallow enough for recursion, and for libyaml, which needs time in
/// proportion to the square of the depth.
let deepestNesting = 64

/// The state of parsing one text.
private struct TreeBuilder: ~Copyable {
  var events: EventParser
  let source: SourceText
  let pass: ConfigurationPass
  /// The finished values with an anchor, with the number of values in each.
  var anchors: [String: (node: Node, size: Int)] = [:]
  /// The anchors of values that have not ended.
  var openAnchors: Set<String> = []
  /// The number of values so far.
  var size = 0
  /// The number of values from aliases.
  var expanded = 0
  /// The end of the last character that is a part of a value.
  ///
  /// libyaml ends a block where the next token begins.
  var end = 0

  /// The maximum number of values from aliases: enough for a mapping that ten thousand feeds share, too small
  /// for a "billion laughs".
  static let mostExpanded = 100_000

  mutating func document(mayBeEmpty: Bool) throws(Mistake) -> Node? {
    let first = try next()
    guard case .documentStart = first.kind else {
      if mayBeEmpty { return Node(location: .start, span: 0..<0, content: .mapping([])) }
      throw Mistake(at: .start, "the file is empty", cure: KeyTable.feedsExample)
    }
    let root = try node(from: next(), depth: 1)
    _ = try next()
    let after = try next()
    if case .documentStart = after.kind {
      throw Mistake(at: after.location, "a second YAML document begins here", cure: "remove the ---")
    }
    return root
  }

  mutating func stream() throws(Mistake) -> [Node] {
    var documents: [Node] = []
    while case .documentStart = try next().kind {
      documents.append(try node(from: next(), depth: 1))
      anchors = [:]
      _ = try next()
    }
    return documents
  }

  private mutating func next() throws(Mistake) -> YAMLEvent {
    do throws(SyntaxFault) {
      let event = try events.next()
      switch event.kind {
      case .mappingEnd where event.span.isEmpty, .sequenceEnd where event.span.isEmpty: break
      default: end = event.span.upperBound
      }
      return event
    } catch {
      throw syntaxMistake(error, in: source)
    }
  }

  private mutating func node(from event: YAMLEvent, depth: Int) throws(Mistake) -> Node {
    guard depth <= deepestNesting else {
      throw Mistake(
        at: event.location, "values are nested more than \(deepestNesting) levels deep",
        cure: "no key needs this; look for a bracket that is not closed")
    }
    let start = Int32(clamping: event.span.lowerBound)
    if case .alias(let name) = event.kind {
      let target = try alias(name, at: event.location)
      return Node(
        location: target?.location ?? event.location, span: start..<Int32(clamping: end),
        content: target?.content ?? .unusable)
    }
    let sizeBefore = size
    size += 1
    if let anchor = event.anchor { openAnchors.insert(anchor) }
    let content = try content(of: event, depth: depth)
    let node = Node(location: event.location, span: start..<Int32(clamping: end), content: content)
    if let anchor = event.anchor {
      openAnchors.remove(anchor)
      anchors[anchor] = (node, size - sizeBefore)
    }
    return node
  }

  private mutating func content(of event: YAMLEvent, depth: Int) throws(Mistake) -> Node.Content {
    let content: Node.Content =
      switch event.kind {
      case .scalar(let scalar):
        .scalar(event.tag == nil ? scalar : Scalar(text: scalar.text, isPlain: false, lead: nil))
      case .sequenceStart: .sequence(try sequence(depth: depth))
      case .mappingStart: .mapping(try mapping(depth: depth))
      default: .unusable
      }
    guard let tag = event.tag, !Self.isNeutral(tag) else { return content }
    pass.report(
      "YAML tags (\"!…\") are not supported", at: event.location,
      cure: "remove it; write a secret as {env: NAME}, and quote text that begins with \"!\"")
    return .unusable
  }

  private mutating func sequence(depth: Int) throws(Mistake) -> [Node] {
    var nodes: [Node] = []
    while true {
      let event = try next()
      if case .sequenceEnd = event.kind { return nodes }
      nodes.append(try node(from: event, depth: depth + 1))
    }
  }

  private mutating func mapping(depth: Int) throws(Mistake) -> [Node.Entry] {
    var entries: [Node.Entry] = []
    var known = KeysSoFar()
    while true {
      let keyEvent = try next()
      if case .mappingEnd = keyEvent.kind { return entries }
      let keyNode = try node(from: keyEvent, depth: depth + 1)
      let value = try node(from: next(), depth: depth + 1)
      guard let key = text(ofKey: keyNode, at: keyEvent.location) else { continue }
      if let first = known.record(key, at: keyEvent.location, among: entries) {
        pass.report(
          "duplicate key \"\(shown(key))\"; first used on line \(first.line)",
          at: keyEvent.location, cure: "keep one of them")
      } else {
        entries.append(
          Node.Entry(
            key: key, location: keyEvent.location, start: Int32(clamping: keyEvent.span.lowerBound),
            value: value))
      }
    }
  }

  private func text(ofKey node: Node, at location: Location) -> String? {
    switch node.content {
    case .scalar(let scalar) where !node.isNull && !scalar.text.isEmpty:
      return scalar.text
    case .scalar(let scalar) where !scalar.text.isEmpty:
      pass.report(
        "\(scalar.text) must be quoted as a key", at: location, cure: "write \"\(scalar.text)\"")
    case .scalar:
      pass.report("a key is missing before \":\"", at: location, cure: "write key: value")
    case .mapping, .sequence:
      pass.report(
        "a key cannot be a mapping or a list", at: location,
        cure: "quote text that begins with \"{\" or \"[\"")
    case .unusable: break
    }
    return nil
  }

  /// The anchored value of an alias; nil, with a mistake, if there is none.
  private mutating func alias(_ name: String, at location: Location) throws(Mistake) -> Node? {
    guard let target = anchors[name] else {
      // The name is not repeated: an unquoted password may also begin with "*".
      let what =
        openAnchors.contains(name)
        ? "the alias refers to the value that contains it" : "the alias has no anchor (\"&\") before it"
      pass.report(what, at: location, cure: "quote text that begins with \"*\"")
      return nil
    }
    size += target.size
    expanded += target.size
    guard expanded <= Self.mostExpanded else {
      throw Mistake(
        at: location, "aliases expand to more than \(Self.mostExpanded) values",
        cure: "put shared keys under defaults:")
    }
    return target.node
  }

  /// Tags for text, lists and mappings, which change nothing.
  private static func isNeutral(_ tag: String) -> Bool {
    ["!", "tag:yaml.org,2002:str", "tag:yaml.org,2002:seq", "tag:yaml.org,2002:map"].contains(tag)
  }
}

/// The keys of one mapping: searched while they are few, hashed when they are many.
private struct KeysSoFar {
  private var locations: [String: Location] = [:]

  /// The location of an earlier key of the same name; nil if the key is new.
  mutating func record(_ key: String, at location: Location, among entries: [Node.Entry]) -> Location? {
    guard entries.count >= 16 else { return entries.first { $0.key == key }?.location }
    if locations.isEmpty { for entry in entries { locations[entry.key] = entry.location } }
    if let first = locations[key] { return first }
    locations[key] = location
    return nil
  }
}
