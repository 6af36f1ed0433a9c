// The mapping that `bgfetch add` proposes for JSON that is not a feed.

/// The keys of `json:` for a document, such as `items: /releases, id: /tag`; nil if it has no list of objects with a usable part.
///
/// The names of its members are compared without case, `_` and `-`.
public func likelyMapping(of document: JSONValue) -> String? {
  guard let (pointer, item) = firstList(in: document) else { return nil }
  let parts = memberNames.compactMap { part, names -> String? in
    let words = names.split(separator: " ")
    let found = words.lazy.compactMap { word in
      item.members.first { name, value in
        isScalar(value) && name.lowercased().filter { !"_-".contains($0) } == word
      }
    }
    // The name of a release may be empty.
    let pointers = found.prefix(part == "title" ? 2 : 1).map { "/" + $0.name }
    guard let first = pointers.first else { return nil }
    return "\(part): " + (pointers.count > 1 ? "[\(pointers.joined(separator: ", "))]" : first)
  }
  return parts.isEmpty
    ? nil : (["items: " + (pointer.isEmpty ? "\"\"" : pointer)] + parts).joined(separator: ", ")
}

/// The names that members of items usually have, the best first, by the part of an item.
private let memberNames = [
  ("id", "id guid uuid key tagname number sha version"),
  ("title", "title name headline subject tagname version"),
  ("link", "htmlurl weburl url link shortlink permalink href"),
  ("published", "published publishedat createdat date created time"),
  ("summary", "summary description body content text message"),
]

/// The first array of objects, nearest to the root, with its pointer and its first object.
private func firstList(in document: JSONValue) -> (pointer: String, item: JSONValue)? {
  var level = [(pointer: "", value: document)]
  while !level.isEmpty {
    for (pointer, value) in level {
      if let item = value.elements.first, !item.members.isEmpty { return (pointer, item) }
    }
    level = level.flatMap { pointer, value in
      value.members.filter { isPlainWord($0.name) && !$0.name.contains("/") }.map {
        (pointer + "/" + $0.name, $0.value)
      }
    }
  }
  return nil
}

private func isScalar(_ value: JSONValue) -> Bool {
  switch value {
  case .string, .number, .literal: true
  case .null, .bool, .array, .object: false
  }
}
