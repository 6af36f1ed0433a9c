// Messages about unknown keys: a misspelling, or a key of another mapping.

import Core

/// The mistake of an unknown key in a mapping.
func unknownKey(_ entry: Node.Entry, in path: String, among known: [String]) -> Mistake {
  Mistake(
    at: entry.location, "unknown key \"\(shown(entry.key))\"", cure: cure(for: entry, in: path, among: known))
}

private func cure(for entry: Node.Entry, in path: String, among known: [String]) -> String {
  let key = entry.key
  if path.isEmpty, let text = entry.value.text, WebAddress(text) != nil {
    return "write feeds under feeds:, as in feeds: {planet: https://…}"
  }
  if key == "<<" { return "put shared keys under defaults:" }
  if let colon = key.firstIndex(of: ":"), case let word = String(key[..<colon]), known.contains(word) {
    return "write a space after the colon: \"\(word): …\""
  }
  let near = nearest(key, among: known)
  // Most likely first: one typing slip, a key in the wrong place, several slips.
  if near.map({ $0.distance > 1 }) ?? true, let homes = KeyTable.homes[key] {
    // At the top level only an included file lacks one of its keys.
    return path.isEmpty && homes.contains("")
      ? "it belongs in the main file" : "it belongs in " + list(homes.map(mappingName), "or")
  }
  // Part of a key, such as `interval`, means the key.
  let allowed = known.sorted()
  if let word = near?.word ?? allowed.first(where: { $0.split(separator: "-").contains(key[...]) }) {
    return "did you mean \"\(word)\"?"
  }
  // Without a colon, as in `{tags: a, b}`.
  let end = entry.location.column + Int32(clamping: key.unicodeScalars.count)
  if entry.value.isNull, entry.value.location.column == end {
    return "write key: value, or for a list [a, \(shown(key))] in brackets"
  }
  return "allowed here: " + allowed.joined(separator: ", ")
}

/// The name of a mapping in the manual.
private func mappingName(_ path: String) -> String {
  switch path {
  case "": "the top level of the file"
  case "feeds.*": "a feed"
  case "hooks.*": "a hook"
  case "outputs.*": "a file of outputs"
  case "condition": "a condition of filter"
  case "hooks.*.webhook": "webhook of a hook"
  default:
    path.hasPrefix("feeds.*.") ? "\(path.dropFirst("feeds.*.".count)) of a feed" : path
  }
}
