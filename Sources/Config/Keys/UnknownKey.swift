// Messages about unknown keys: a misspelling, a key of another mapping, or another program's word.

import Core

/// An unknown key of a mapping.
struct UnknownKey {
  /// The mistake to report.
  let mistake: Mistake
  /// The key that was probably meant.
  let meant: String?

  init(_ entry: Node.Entry, in path: String, among known: Set<String>) {
    let cure: String
    if path.isEmpty, let text = entry.value.text, WebAddress(text) != nil {
      (cure, meant) = ("write feeds under feeds:, as in feeds: {planet: https://…}", nil)
    } else {
      (cure, meant) = cureAndKey(for: entry.key, among: known, of: path)
    }
    mistake = Mistake(at: entry.location, "unknown key \"\(shown(entry.key))\"", cure: cure)
  }
}

private func cureAndKey(
  for key: String, among known: Set<String>, of path: String
) -> (cure: String, key: String?) {
  if key == "<<" { return ("put shared keys under defaults:", nil) }
  if let colon = key.firstIndex(of: ":"), case let word = String(key[..<colon]), known.contains(word) {
    return ("write a space after the colon: \"\(word): …\"", word)
  }
  // Words such as `url` are keys elsewhere, but under `json` they mean a part of an item.
  if path == "feeds.*.json", let word = partWords[key] { return ("did you mean \"\(word)\"?", word) }
  let near = nearest(key, among: known)
  // Most likely first: one typing slip, another word for a key that is allowed here, a key in the wrong place, several
  // slips.
  if near == nil || (near?.distance ?? 0) > 1, let word = otherWords[key.lowercased()], known.contains(word) {
    return ("did you mean \"\(word)\"?", word)
  }
  if near == nil || (near?.distance ?? 0) > 1, let homes = KeyTable.homes[key] {
    return ("it belongs in " + list(homes.map(mappingName), "or"), nil)
  }
  if let word = near?.word {
    return ("did you mean \"\(word)\"?", word)
  }
  return ("allowed here: " + known.sorted().joined(separator: ", "), nil)
}

/// The words of other programs and formats for keys.
private let otherWords = [
  "link": "url", "uri": "url", "href": "url", "address": "url", "source": "url", "xmlurl": "url",
  "name": "title", "label": "title", "every": "minimum-interval", "interval": "minimum-interval",
  "refresh": "minimum-interval", "ttl": "minimum-interval", "cron": "schedule", "at": "schedule",
  "command": "run", "cmd": "run", "exec": "run", "args": "run", "argv": "run", "on": "events",
  "when": "events", "event": "events", "env": "environment", "input": "stdin", "user": "username",
  "login": "username", "pass": "password", "token": "bearer", "tz": "timezone", "zone": "timezone",
  "exclude": "filter", "cookies": "headers", "sites": "feeds", "subscriptions": "feeds",
  "urls": "feeds", "sources": "feeds", "jobs": "feeds", "useragent": "user-agent", "message": "body",
  "text": "body", "tag": "tags", "category": "tags", "categories": "tags", "groups": "tags",
  "includes": "include", "import": "include", "priority": "urgency", "match": "include", "ignore": "exclude",
  "download-dir": "documents", "dir": "documents", "folder": "documents", "path": "documents",
  "destination": "documents", "filename": "name", "template": "name", "retention": "keep",
  "retain": "keep", "max-bytes": "max-size", "size-limit": "max-size", "mime": "types",
  "mime-types": "types", "media-types": "types", "max-downloads": "limit", "bandwidth": "rate-limit",
  "throttle": "rate-limit", "limit-rate": "rate-limit", "max-rate": "rate-limit", "enclosures": "download",
  "podcast": "download",
]

/// The words of JSON documents for the parts of an item.
private let partWords = [
  "guid": "id", "uuid": "id", "name": "title", "url": "link", "href": "link", "date": "published",
  "modified": "updated", "body": "summary", "content": "summary", "description": "summary",
  "enclosures": "assets", "files": "assets", "attachments": "assets", "entries": "items",
]

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
