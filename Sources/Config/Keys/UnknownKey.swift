// Messages about unknown keys: a misspelling, or a key of another mapping.

import Core

/// An unknown key of a mapping.
struct UnknownKey {
  /// The mistake to report.
  let mistake: Mistake
  /// The key that was probably meant.
  let meant: String?

  init(_ entry: Node.Entry, in path: String, among known: Set<String>) {
    let cure: String
    // Without a colon, as in `{tags: a, b}`.
    let isBare =
      entry.value.isNull
      && entry.value.location.column == entry.location.column
        + Int32(clamping: entry.key.unicodeScalars.count)
    if path.isEmpty, let text = entry.value.text, WebAddress(text) != nil {
      (cure, meant) = ("write feeds under feeds:, as in feeds: {planet: https://…}", nil)
    } else {
      (cure, meant) = cureAndKey(for: entry.key, isBare: isBare, among: known, of: path)
    }
    mistake = Mistake(at: entry.location, "unknown key \"\(shown(entry.key))\"", cure: cure)
  }
}

private func cureAndKey(
  for key: String, isBare: Bool, among known: Set<String>, of path: String
) -> (cure: String, key: String?) {
  if key == "<<" { return ("put shared keys under defaults:", nil) }
  if let colon = key.firstIndex(of: ":"), case let word = String(key[..<colon]), known.contains(word) {
    return ("write a space after the colon: \"\(word): …\"", word)
  }
  let near = nearest(key, among: known)
  // Most likely first: one typing slip, a key in the wrong place, several slips.
  if near == nil || (near?.distance ?? 0) > 1, let homes = KeyTable.homes[key] {
    return ("it belongs in " + list(homes.map(mappingName), "or"), nil)
  }
  // Part of a key, such as `interval`, means the key.
  if let word = near?.word ?? known.sorted().first(where: { $0.split(separator: "-").contains(key[...]) }) {
    return ("did you mean \"\(word)\"?", word)
  }
  if isBare { return ("write key: value, or for a list [a, \(shown(key))] in brackets", nil) }
  return ("allowed here: " + known.sorted().joined(separator: ", "), nil)
}

/// The name of a mapping in the manual.
private func mappingName(_ path: String) -> String {
  switch path {
  case "": "the top level of the file"
  case "feeds.*": "a feed"
  case "hooks.*": "a hook"
  case "outputs.*": "a file of outputs"
  case "condition": "a condition of filter"
  default:
    path.hasPrefix("feeds.*.") ? "\(path.dropFirst("feeds.*.".count)) of a feed" : path
  }
}
