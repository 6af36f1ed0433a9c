// Random configurations with comments of all kinds survive fifty additions and removals byte for byte.

import Config
import Core
import TestKit
import Testing

@Suite struct RandomEditTests {
  @Test(arguments: 0..<40)
  func `a feed that is added and removed leaves no trace`(seed: UInt64) throws {
    var random = RandomNumbers(seed: seed)
    let original = randomConfiguration(&random)
    var text = original
    var own: [String] = []
    let before = try #require(reading(original).settings, "\(problems(original))\n\(original)")

    for number in 0..<50 {
      if own.isEmpty || Bool.random(using: &random) {
        let tags = Bool.random(using: &random) ? ["tag"] : []
        text = try added(newFeed("new-\(number)", tags: tags), to: text)
        own.append("new-\(number)")
      } else {
        text = try removed(own.remove(at: Int.random(in: 0..<own.count, using: &random)), from: text)
      }
      let after = try #require(reading(text).settings, "\(problems(text))\n\(text)")
      #expect(differ(before, after, onlyByAdding: Set(own.compactMap(FeedName.init))), "\(text)")
    }
    for name in own.shuffled(using: &random) { text = try removed(name, from: text) }

    #expect(text == original)
  }

  @Test(arguments: 0..<40)
  func `removing a feed changes no other, and no line of another`(seed: UInt64) throws {
    var random = RandomNumbers(seed: seed)
    let original = randomConfiguration(&random)
    let before = try #require(reading(original).settings)
    let gone = try #require(before.feeds.all.randomElement(using: &random)).name
    // An alias cannot stay without its anchor; the whole check refuses that.
    guard let after = reading(try removed(gone.text, from: original)).settings else {
      #expect(original.contains("*shared"))
      return
    }

    #expect(differ(before, after, onlyByAdding: [], removing: [gone]))
    let lines = Set(original.split(whereSeparator: \.isNewline))
    let left = try removed(gone.text, from: original).split(whereSeparator: \.isNewline)
    #expect(left.filter { !lines.contains($0) }.count <= 2, "\(original)")
  }

  @Test func `a configuration of ten thousand feeds is edited quickly`() throws {
    let feeds = (0..<10_000).map { "  feed-\($0): https://é.example/\($0) # Überschrift\n" }.joined()
    let original = "feeds:\n" + feeds

    let microseconds = try processorTime {
      let text = try added(newFeed("new"), to: original)
      #expect(try removed("new", from: text) == original)
    }

    #expect(microseconds < 20_000_000)
  }
}

/// A valid configuration in one of the styles that people write.
private func randomConfiguration(_ random: inout RandomNumbers) -> String {
  let feeds = (0..<Int.random(in: 1...6, using: &random)).map { "f\($0)" }
  var sections = [
    "# Überschrift 日本\nx-mine: \"é # no comment\"\n",
    "hooks: {log: {events: [failed], run: [logger]}} # a hook\n",
    "# defaults:\ndefaults:\n  minimum-interval: 2h # two\n  #tags: []\n",
  ].filter { _ in Bool.random(using: &random) }
  let place = Int.random(in: 0...sections.count, using: &random)
  let isFlow = Int.random(in: 0..<4, using: &random) == 0
  sections.insert(isFlow ? flowFeeds(feeds, &random) : blockFeeds(feeds, &random), at: place)
  var text = sections.joined(separator: Bool.random(using: &random) ? "\n" : "")
  if Bool.random(using: &random) { text = "# Heading of everything\n\n" + text }
  if Int.random(in: 0..<3, using: &random) == 0, text.hasSuffix("\n") { text.removeLast() }
  if Int.random(in: 0..<3, using: &random) == 0 { text = text.replacing("\n", with: "\r\n") }
  return Int.random(in: 0..<8, using: &random) == 0 ? "\u{FEFF}" + text : text
}

private func blockFeeds(_ names: [String], _ random: inout RandomNumbers) -> String {
  let indentation = String(repeating: " ", count: [1, 2, 4].randomElement(using: &random) ?? 2)
  var lines = [["feeds:", "\"feeds\":", "feeds: # mine"].randomElement(using: &random) ?? "feeds:"]
  var hasAnchor = false
  for name in names {
    for comment in ["# above", "", "#old: https://old.example/", "# größer", "   # deeper"]
    where Int.random(in: 0..<5, using: &random) == 0 {
      lines.append(comment.isEmpty ? "" : indentation + comment)
    }
    let url = "https://\(name).example/"
    let forms = [
      ["\(name): \(url)"], ["\"\(name)\": '\(url)' # Anmerkung – ü"],
      ["\(name): {url: \"\(url)\", tags: [a]}"],
      ["\(name):", "   url: \(url)", "   # inside", "   title: \"日本 # 1\"", "   #tags: [b]"],
      ["\(name): {", "    url: \"\(url)\", # in braces", "  }"],
      ["\(name):", "   url: \(url)", "   notify:", "     body: |", "       {titles}", "       # text"],
      ["\(name): &shared-\(name) {url: \"\(url)\"}"],
      hasAnchor ? ["\(name): *shared"] : ["\(name): &shared {url: \"https://shared.example/\"}"],
    ]
    let form = Int.random(in: 0..<forms.count, using: &random)
    hasAnchor = hasAnchor || form == forms.count - 1
    lines += forms[form].map { indentation + $0 }
  }
  for comment in ["# at the end", "", "#last: https://last.example/"] where Bool.random(using: &random) {
    lines.append(comment.isEmpty ? "" : indentation + comment)
  }
  return lines.joined(separator: "\n") + "\n"
}

private func flowFeeds(_ names: [String], _ random: inout RandomNumbers) -> String {
  let entries = names.map { "\($0): \"https://\($0).example/\"" }
  switch Int.random(in: 0..<5, using: &random) {
  case 0: return "feeds: {" + entries.joined(separator: ", ") + "}\n"
  case 1: return "feeds: { " + entries.joined(separator: " , ") + ", } # mine\n"
  case 2: return "feeds: {\n  " + entries.joined(separator: ",\n  ") + "\n} # é # last\n"
  case 3: return "feeds:\n  {\n    " + entries.joined(separator: ",\n    ") + ",\n  }\n"
  default: return "feeds: {" + entries.joined(separator: ",\n  ") + "}\n"
  }
}
