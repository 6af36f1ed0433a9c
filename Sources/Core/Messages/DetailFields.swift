// The details of an item as placeholders and as members of JSON, the same for `items`, messages and hooks.

/// The placeholders that need the details of an item, which the store reads only if one of them is used.
public let detailPlaceholders: Set = [
  "item.content", "item.content.text", "item.categories", "item.comments", "item.image", "item.duration",
  "item.season", "item.episode",
]

extension Template {
  /// Whether the template needs the details of an item.
  public var usesDetails: Bool { placeholders.contains(where: detailPlaceholders.contains) }
}

extension NotifySpec {
  /// Whether its messages need the details of items.
  public var usesDetails: Bool { [title, body, identifier].contains(where: \.usesDetails) }
}

extension ItemDetails {
  /// The value of a placeholder; nil if it is not one of `detailPlaceholders`, empty if the item lacks the part.
  ///
  /// Content keeps its lines, and everything else is on one line. Terminal escape sequences are removed.
  ///
  /// - Parameters:
  ///   - name: the placeholder.
  ///   - limit: the most bytes of content, as HTML or as text.
  public func text(_ name: String, limit: Int) -> String? {
    switch name {
    case "item.content": content.map { cleanLines($0, limit: limit) } ?? ""
    case "item.content.text":
      content.map { cleanText(plainText(fromHTML: $0, limit: limit), limit: limit) } ?? ""
    case "item.categories": categories.joined(separator: ", ")
    case "item.comments": comments ?? ""
    case "item.image": image ?? ""
    case "item.duration": duration?.text ?? ""
    case "item.season": season.map(String.init) ?? ""
    case "item.episode": episode.map(String.init) ?? ""
    default: nil
    }
  }
}

/// The details of an item as members of its JSON object; all of them `null` or empty without details.
///
/// The content is HTML with absolute addresses; the duration is in seconds.
public func detailMembers(_ details: ItemDetails?) -> [(name: String, value: JSONValue)] {
  let details = details ?? ItemDetails()
  return [
    ("content", .text(details.content)),
    ("categories", .array(details.categories.map(JSONValue.string))),
    ("comments", .text(details.comments)), ("image", .text(details.image)),
    ("duration", number(details.duration?.seconds)), ("season", number(details.season.map(Int64.init))),
    ("episode", number(details.episode.map(Int64.init))),
    ("enclosures", .array(details.enclosures.map(enclosureJSON))),
  ]
}

/// A file that an item refers to, as JSON.
public func enclosureJSON(_ enclosure: Enclosure) -> JSONValue {
  .object([
    ("url", .string(enclosure.url)), ("type", .text(enclosure.type)),
    ("length", number(enclosure.length)),
  ])
}

private func number(_ number: Int64?) -> JSONValue { number.map(JSONValue.number) ?? .null }
