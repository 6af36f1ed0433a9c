// A new name of a feed in the text of a configuration, also where hooks and outputs name it; everything else stays byte for byte.

public import Core

/// The text of a file in which a feed has another name, and lists of feeds, too.
///
/// The text is unchanged if it does not have the name. A list that selects the feed by a glob stays.
///
/// - Throws: the refusal, if the file is not YAML, or spells the name of the feed in an unusual way.
public func renaming(_ rename: FeedRename, in bytes: [UInt8]) throws(Refusal) -> [UInt8] {
  let text = EditedText(bytes)
  let root = try text.tree()
  let former = rename.former.text
  let key = root["feeds"]?.entries.first { $0.key == former }?.start
  let lists = ["hooks", "outputs"].flatMap { root[$0]?.entries ?? [] }.compactMap { $0.value["feeds"] }
  // The lists of several hooks may be one, by an alias.
  let places = Set(
    lists.flatMap(\.elements).filter { $0.text == former }.map(\.span.lowerBound) + [key].compactMap(\.self))
  var cursor = text.cursor()
  var changes: [(Range<Int>, [UInt8])] = []
  for place in places.sorted() {
    let begin = cursor.offset(ofCharacter: place)
    let isQuoted = "\"'".utf8.contains(bytes[begin])
    let start = begin + (isQuoted ? 1 : 0)
    guard bytes[start...].starts(with: former.utf8) else {
      if place == key { throw .notEditable }
      continue
    }
    let name = isQuoted ? rename.name.text : yamlText(rename.name.text)
    changes.append((start..<start + former.utf8.count, Array(name.utf8)))
  }
  return text.replacing(changes)
}
