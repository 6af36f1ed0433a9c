// `html`: CSS selectors of the items in a page, or of the text to watch.

import Core

/// The selectors of a page while they are read; some of them may be in `defaults`.
struct PageDraft {
  private var items: SelectorList?
  private var text: SelectorList?
  private var allowsEmpty = false
  private var parts: [JSONMapping.Part: PageValue] = [:]
  /// The places of `text`, which is wrong with `items`, and of a part, which is wrong without it.
  private var textPlace: Place?
  private var partPlace: Place?
  /// The place of the feed's own `html`; nil for that of `defaults`, which applies only to feeds of kind html.
  var place: Place?
  /// Whether a mistake was reported already.
  private(set) var isBroken = false

  var hasItems: Bool { items != nil || isBroken }

  /// Reads `html` over earlier values.
  mutating func read(_ field: Field) {
    if field.node.isNone {
      self = PageDraft()
      return
    }
    place = field.keyPlace
    guard let section = Section(field, path: "feeds.*.html", expecting: mappingExample) else {
      isBroken = true
      return
    }
    isBroken = isBroken || !section.misspelt.isEmpty
    if let field = section["items"] { items = read(field, SelectorList.init(parsing:)) }
    if let field = section["text"] {
      text = read(field, SelectorList.init(parsing:))
      textPlace = text == nil ? nil : field.keyPlace
    }
    section.read("allow-empty", into: &allowsEmpty, unset: false) { $0.flag() }
    for part in JSONMapping.Part.allCases {
      guard let field = section[part.rawValue] else { continue }
      parts[part] = read(field, PageValue.init(parsing:))
      if parts[part] != nil { partPlace = field.keyPlace }
    }
  }

  private mutating func read<Value>(
    _ field: Field, _ parse: (String) throws(TextProblem) -> Value
  ) -> Value? {
    guard !field.node.isNone else { return nil }
    let value = field.selector(parse)
    isBroken = isBroken || value == nil
    return value
  }

  /// The selectors of a feed; reports those that exclude each other.
  func whole(at place: Place, _ pass: ConfigurationPass) -> HTMLMapping {
    if items != nil, text != nil {
      pass.report(
        "html has both items and text", at: textPlace ?? place,
        cure: "write items for a list of news, or text to watch the text of the page")
    } else if items == nil, !parts.isEmpty {
      pass.report(
        "html has no items", at: partPlace ?? place,
        cure: "write items: \"article\", or keep only text to watch the text of the page")
    }
    return HTMLMapping(items: items, parts: parts, text: text, allowsEmpty: allowsEmpty)
  }
}

private let mappingExample = "{items: \"article\", title: \"h2\", link: \"h2 a\"}"

extension Field {
  fileprivate func selector<Value>(_ parse: (String) throws(TextProblem) -> Value) -> Value? {
    guard let text = text(expecting: "a CSS selector such as \"h2 a\"") else { return nil }
    do throws(TextProblem) {
      return try parse(text)
    } catch {
      pass.report(
        "\(name) \"\(shown(text))\" \(shown(error.what))", at: place(ofCharacter: error.column - 1),
        cure: error.cure)
      return nil
    }
  }
}

/// Reports keys that would leave nothing to compare a page's text with.
func reportKeysThatPreventWatching(_ keys: Section) {
  if let field = keys["filter"], !field.node.isNone {
    field.pass.report(
      "filter does not apply to a page whose text is watched", at: field.keyPlace,
      cure: "write html: {items: …}, or choose the text with html: {text: …}")
  }
  if let field = keys["content"], field.node.isNone {
    field.pass.report(
      "content: none stores no text to compare the page with", at: field.keyPlace,
      cure: "remove it, or write a size such as 64KiB")
  }
}
