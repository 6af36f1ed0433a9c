// A new name of a feed in the text of a configuration, also where hooks and outputs name it; everything else stays byte for byte.

public import Core

/// The text of a file in which a feed has another name, and lists of feeds, too.
///
/// The text is unchanged if it does not have the name. A list that selects the feed by a glob stays.
///
/// - Throws: the refusal, if the file is not YAML, or spells the name of the feed in an unusual way.
public func renaming(_ rename: FeedRename, in bytes: [UInt8]) throws(Refusal) -> [UInt8] {
  let text = try EditedText(bytes)
  let root = text.root
  let former = rename.former.text
  let key = root["feeds"]?.entries.first { $0.key == former }?.start
  let lists = ["hooks", "outputs"].flatMap { root[$0]?.entries ?? [] }.compactMap { $0.value["feeds"] }
  // The lists of several hooks may be one, by an alias.
  let places = Set(
    lists.flatMap(\.elements).filter { $0.text == former }.map(\.span.lowerBound) + [key].compactMap(\.self))
  var changes: [(Range<Int>, String)] = []
  for place in places {
    let begin = text.index(place)
    let isQuoted = text.isQuote(at: begin)
    let start = begin + (isQuoted ? 1 : 0)
    guard text.characters[start...].starts(with: former.unicodeScalars) else {
      if place == key { throw .notEditable }
      continue
    }
    let name = isQuoted ? rename.name.text : yamlText(rename.name.text)
    changes.append((start..<start + former.unicodeScalars.count, name))
  }
  return text.replacing(changes)
}
