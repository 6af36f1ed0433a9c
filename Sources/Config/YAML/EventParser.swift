// libyaml's event interface as Swift values. The only file that touches the C library.

import CLibYAML

/// The version of libyaml.
public var yamlLibraryVersion: String { String(cString: yaml_get_version_string()) }

/// One event of a YAML text.
struct YAMLEvent {
  let kind: Kind
  let location: Location
  /// The characters of the event, counted from the beginning of the text; empty where a block ends.
  let span: Range<Int>
  /// The anchor that names a value, without its `&`.
  let anchor: String?
  /// The tag of a value, resolved.
  let tag: String?

  enum Kind {
    case documentStart, documentEnd, end
    case scalar(Scalar)
    case alias(String)
    case sequenceStart, sequenceEnd, mappingStart, mappingEnd
  }
}

/// A fault that libyaml found.
struct SyntaxFault: Error {
  var problem: String
  /// The location where it stopped; useless for an invalid byte.
  var location: Location
  /// The construct that it was parsing; empty if unknown.
  var context: String
  /// The beginning of that construct.
  var contextLocation: Location
  /// The offset of the first invalid byte; nil for other faults.
  var badByte: Int?
}

/// libyaml over one text, event by event.
///
/// The text must outlive the parser, which keeps a pointer to it; `composeTree` sees to that.
struct EventParser: ~Copyable {
  // On the heap, because libyaml keeps pointers into its own struct and a Swift value may move.
  private let parser: UnsafeMutablePointer<yaml_parser_t>

  /// A parser at the beginning of a text in UTF-8, or nil if there is no memory for one.
  init?(_ text: UnsafeBufferPointer<UInt8>) {
    parser = .allocate(capacity: 1)
    guard yaml_parser_initialize(parser) == 1 else {
      parser.deallocate()
      return nil
    }
    // Explicit, so that libyaml does not guess UTF-16 from the first bytes.
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, text.baseAddress, text.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
  }

  /// The next event; `.end` is the last.
  mutating func next() throws(SyntaxFault) -> YAMLEvent {
    while true {
      var event = yaml_event_t()
      guard yaml_parser_parse(parser, &event) == 1 else { throw fault() }
      defer { yaml_event_delete(&event) }
      if event.type != YAML_STREAM_START_EVENT { return YAMLEvent(event) }
    }
  }

  private func fault() -> SyntaxFault {
    let state = parser.pointee
    return SyntaxFault(
      problem: state.problem.map { String(cString: $0) } ?? "out of memory",
      location: Location(state.problem_mark),
      context: state.context.map { String(cString: $0) } ?? "",
      contextLocation: Location(state.context_mark),
      badByte: state.error == YAML_READER_ERROR ? state.problem_offset : nil)
  }
}

extension YAMLEvent {
  /// The event as a value.
  fileprivate init(_ event: yaml_event_t) {
    var names: (anchor: UnsafeMutablePointer<yaml_char_t>?, tag: UnsafeMutablePointer<yaml_char_t>?)
    switch event.type {
    case YAML_DOCUMENT_START_EVENT: kind = .documentStart
    case YAML_DOCUMENT_END_EVENT: kind = .documentEnd
    case YAML_SEQUENCE_END_EVENT: kind = .sequenceEnd
    case YAML_MAPPING_END_EVENT: kind = .mappingEnd
    case YAML_ALIAS_EVENT: kind = .alias(text(event.data.alias.anchor) ?? "")
    case YAML_SEQUENCE_START_EVENT:
      kind = .sequenceStart
      names = (event.data.sequence_start.anchor, event.data.sequence_start.tag)
    case YAML_MAPPING_START_EVENT:
      kind = .mappingStart
      names = (event.data.mapping_start.anchor, event.data.mapping_start.tag)
    case YAML_SCALAR_EVENT:
      kind = .scalar(Scalar(event))
      names = (event.data.scalar.anchor, event.data.scalar.tag)
    default: kind = .end
    }
    anchor = text(names.anchor)
    tag = text(names.tag)
    location = Location(event.start_mark)
    let start = Int(event.start_mark.index)
    span = start..<max(start, Int(event.end_mark.index))
  }
}

private func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
  pointer.map { String(cString: $0) }
}

extension Scalar {
  /// The scalar of a scalar event; its text is copied with its length, because it may contain NUL.
  fileprivate init(_ event: yaml_event_t) {
    let scalar = event.data.scalar
    let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
    text = String(decoding: bytes, as: UTF8.self)
    isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
    let quotes: Int
    switch scalar.style {
    case YAML_PLAIN_SCALAR_STYLE: quotes = 0
    case YAML_SINGLE_QUOTED_SCALAR_STYLE, YAML_DOUBLE_QUOTED_SCALAR_STYLE: quotes = 2
    default: quotes = -1
    }
    let (start, end) = (event.start_mark, event.end_mark)
    let characters = bytes.count { $0 & 0xC0 != 0x80 }
    // With a tag or an anchor the event is longer than its text, so its location is not exact.
    let isExact =
      quotes >= 0 && start.line == end.line && end.index - start.index == characters + quotes
    lead = isExact ? Int32(quotes / 2) : nil
  }
}

extension Location {
  /// libyaml counts from 0.
  fileprivate init(_ mark: yaml_mark_t) {
    self.init(line: Int32(clamping: mark.line + 1), column: Int32(clamping: mark.column + 1))
  }
}
