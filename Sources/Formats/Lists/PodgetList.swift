// podget's files: `serverlist`, with an address, a category and a name in each line, and `podgetrc`, which assigns settings.

import Core

/// Reads a list of podget's; nil if it is another text.
///
/// The lines look like those of newsboat's `urls`. They are podget's if each has a category and a name, and none has quotes, or
/// if a comment names podget.
func readPodgetList(_ lines: TextLines) -> Result<[SubscriptionEntry], SubscriptionListFailure>? {
  var entries = SubscriptionEntries()
  var (isNamed, isPossible, isEmpty) = (false, true, true)
  for line in lines {
    if line.text.hasPrefix("#") {
      isNamed = isNamed || line.text.lowercased().contains("podget")
    } else if let (name, value) = assignment(line.text) {
      isNamed = isNamed || name == "DIR_LIBRARY"
      if let cure = podgetSetting(name, value) {
        isNamed = true
        entries.add(.setting(name, cure), line: line.number)
      }
    } else if let (address, words) = podcastWords(line.text) {
      isEmpty = false
      isNamed =
        isNamed || words.contains { $0.contains("USER:") || $0.contains("PASS:") || $0.contains("OPT_") }
      isPossible = isPossible && words.count == 2 && address.contains("://") && !line.text.contains("\"")
      addPodcast(address, words, line: line.number, to: &entries)
    }
  }
  return isNamed || isPossible && !isEmpty ? .success(entries.finish()) : nil
}

/// The address of a line, and its category and name as far as it has them; nil for blanks alone, of whatever script.
private func podcastWords(_ line: String) -> (address: String, words: [Substring])? {
  let words = line.split(maxSplits: 2, omittingEmptySubsequences: true, whereSeparator: \.isWhitespace)
  return words.first.map { (String($0), Array(words.dropFirst())) }
}

private func addPodcast(
  _ address: String, _ words: [Substring], line: Int, to entries: inout SubscriptionEntries
) {
  var subscription = Subscription(url: address)
  subscription.downloads = true
  // A category `.` is none, and a name may be missing. Both may have words about how to fetch and name files.
  var options: [Substring] = []
  func plain(_ text: Substring?) -> String {
    (text ?? "").split(separator: " ").filter { word in
      let isOption = ["OPT_", "ATOM_FILTER_", "USER:", "PASS:"].contains { word.hasPrefix($0) }
      if isOption { options.append(word.prefix { $0 != ":" && $0 != "=" }) }
      return !isOption && word != "No_Name" && !word.contains("%")
    }.joined(separator: " ")
  }
  let category = plain(words.first)
  subscription.title = plain(words.dropFirst().first)
  if subscription.title?.isEmpty ?? false { subscription.title = nil }
  if !category.isEmpty, category != "." { subscription.tags = [category] }
  entries.add(subscription, line: line)
  let isLogin = options.contains { ["USER", "PASS"].contains($0) }
  if !options.isEmpty {
    entries.add(
      .without([(list(options.map(String.init), "and"), isLogin ? "write auth: with a secret" : "")]),
      line: line)
  }
}

/// The name and value of an assignment of a shell.
private func assignment(_ line: String) -> (name: String, value: String)? {
  guard let equals = line.firstIndex(of: "=") else { return nil }
  let name = line[..<equals]
  guard let first = name.first, first.isLetter,
    name.allSatisfy({ $0 == "_" || $0.isASCII && ($0.isLetter || $0.isNumber) })
  else { return nil }
  return (
    String(name), line[line.index(after: equals)...].split(separator: "\"").first.map(String.init) ?? ""
  )
}

/// The text to write for a setting of podget's; nil if there is nothing to say.
private func podgetSetting(_ name: String, _ value: String) -> String? {
  switch name {
  case "DIR_LIBRARY" where !value.isEmpty:
    "write documents: \(value.replacing("${HOME}", with: "~").replacing("$HOME", with: "~"))"
  case "MOST_RECENT" where (Int(value) ?? 0) > 0: "write defaults: {download: {keep: \(value)}}"
  case "CLEANUP_DAYS" where (Int(value) ?? 0) > 0:
    "if CLEANUP is on, write defaults: {download: {keep: \(value)d}}"
  default: nil
  }
}
