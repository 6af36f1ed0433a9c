// podget's files: `serverlist`, with an address, a category and a name in each line, and `podgetrc`, which assigns settings
// (podget(7)).

import Core

/// Reads a list of podget's; nil if it is another text.
///
/// The lines look like those of newsboat's `urls`. They are podget's if a comment names podget or a word is one of its options.
func readPodgetList(_ lines: TextLines) -> Result<[SubscriptionEntry], SubscriptionListFailure>? {
  var entries = SubscriptionEntries()
  var settings: [String: (value: String, line: Int)] = [:]
  var isNamed = false
  for line in lines {
    if line.text.hasPrefix("#") {
      isNamed = isNamed || line.text.lowercased().contains("podget")
    } else if let (name, value) = assignment(line.text) {
      settings[name.uppercased()] = (value, line.number)
    } else if let (address, words) = podcastWords(line.text) {
      isNamed = isNamed || words.joined(separator: " ").split(separator: " ").contains(where: isOwnWord)
      addPodcast(address, words, line: line.number, to: &entries)
    }
  }
  let hasSettings = entries.addSettings(settings)
  return isNamed || hasSettings ? .success(entries.finish()) : nil
}

/// Whether only podget has such a word.
private func isOwnWord(_ word: Substring) -> Bool {
  word == "." || word == "No_Category" || ownOptions.contains { word.hasPrefix($0) }
}

private let ownOptions = ["OPT_", "ATOM_FILTER_", "USER:", "PASS:"]

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
  var parts: [(name: String, reason: String)] = []
  // A category `.` is none, and a name may be missing. Both may have words about how to fetch and name files.
  let texts = words.map { text in
    text.split(separator: " ").filter { word in
      guard ownOptions.contains(where: { word.hasPrefix($0) }) else { return true }
      let option = String(word.prefix { $0 != ":" && $0 != "=" })
      if option == "ATOM_FILTER_TYPE" {
        let type = word.dropFirst(option.utf8.count + 1).filter { $0 != "\"" }
        subscription.keys["download.types"] = .array([.string(type)])
      } else if lackingOptions.contains(option) {
        parts.append((option, option == "PASS" ? "write auth: with a secret" : ""))
      }
      return false
    }.joined(separator: " ")
  }
  let category = texts.first.flatMap { [".", "No_Category", ""].contains($0) ? nil : $0 }
  let name = texts.dropFirst().first.flatMap { ["No_Name", ""].contains($0) ? nil : $0 }
  subscription.title = name
  subscription.tags = category.map(tags) ?? []
  // podget's files stay where they are, and later ones come beside them.
  let directory = [category, name].compactMap(\.self).joined(separator: "/")
  if let place = place(directory) {
    subscription.keys["download.name"] = .string(place)
  } else {
    parts.append(("the directory " + directory, "see download: {name: …}"))
  }
  entries.add(subscription, line: line)
  if !parts.isEmpty { entries.add(.without(parts), line: line) }
}

/// The options without a key that change what is downloaded; all others need none.
private let lackingOptions: Set = [
  "USER", "PASS", "OPT_NO_CERT_CHECK", "OPT_FILENAME_RENAME_MDATE", "ATOM_FILTER_LANG",
  "OPT_FEED_PLAYLIST_NEWFIRST", "OPT_FEED_PLAYLIST_OLDFIRST",
]

/// podget's words for parts of a date, with those of a template.
private let dateWords = [("%YY%", "%Y"), ("%MM%", "%m"), ("%DD%", "%d")]

/// The directories of a category as tags, without the parts of dates and what joins them.
private func tags(_ category: String) -> [String] {
  let plain = dateWords.reduce(category) { $0.replacing($1.0, with: "%") }
  return plain.split(separator: "/").compactMap { directory in
    guard directory.contains("%") else { return String(directory) }
    let words = directory.split { "%-_. ".contains($0) }
    return words.isEmpty ? nil : words.joined(separator: "-")
  }
}

/// The template of the directory in which podget puts the files of a feed; nil if its path has other characters.
private func place(_ directory: String) -> String? {
  let directories = directory.split(separator: "/")
  let steps = directories.map { directory in
    dateWords.reduce(String(directory)) { $0.replacing($1.0, with: "{published:\($1.1)}") }
  }
  let isSafe = directories.allSatisfy { directory in
    !directory.hasPrefix(".") && !directory.hasSuffix(".")
      && directory.allSatisfy { $0.isLetter || $0.isNumber || " -_'!,&()+.%".contains($0) }
  }
  return isSafe ? (steps + ["{name}{ext}"]).joined(separator: "/") : nil
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

extension SubscriptionEntries {
  /// Adds what bgfetch has for the settings of `podgetrc`; false if none of them is podget's.
  fileprivate mutating func addSettings(_ settings: [String: (value: String, line: Int)]) -> Bool {
    if let library = settings["DIR_LIBRARY"], !library.value.isEmpty {
      let path = ["${HOME}", "$HOME"].reduce(library.value) { $0.replacing($1, with: "~") }
      add(.documents(path), line: library.line)
    }
    if let cleanup = settings["CLEANUP"], cleanup.value != "0",
      let days = Int(settings["CLEANUP_DAYS"]?.value ?? "7"), days > 0
    {
      add(.keep("\(days)d"), line: cleanup.line)
    }
    let lacking = [("MOST_RECENT", "0"), ("NO_PLAYLIST", "1")].filter { name, usual in
      settings[name].map { $0.value != usual } ?? false
    }
    if let line = lacking.first.flatMap({ settings[$0.0]?.line }) {
      add(.without(lacking.map { ($0.0, "") }), line: line)
    }
    return ["DIR_LIBRARY", "MOST_RECENT", "CLEANUP", "CLEANUP_DAYS"].contains { settings[$0] != nil }
  }
}
