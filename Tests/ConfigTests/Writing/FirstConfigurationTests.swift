// The configuration that `bgfetch init` writes: it is valid, and so is each commented key.

import Config
import Core
import Testing

@Suite struct FirstConfigurationTests {
  static let versions: [String] = [false, true].map {
    firstConfiguration(hasDesktop: $0, log: "/home/me/my files/news: #1.txt")
  }

  @Test(arguments: versions)
  func `the first configuration has no mistakes or warnings, one feed and one hook`(text: String) throws {
    #expect(problems(text) == [])
    let settings = try #require(reading(text).settings)
    #expect(settings.feeds.map(\.name.text) == ["debian-news"])
    #expect(settings.hooks.count == 1)
    #expect(settings.hooks.first?.events == [.notification])
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 240 })
  }

  @Test(arguments: versions)
  func `each commented key is valid without its comment mark, alone and with all others`(text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let keys = lines.indices.filter { isCommentedKey(lines[$0]) }
    #expect(keys.count > 40)

    for key in keys {
      var changed = lines
      changed[key] = uncommented(lines[key])
      #expect(problems(changed.joined(separator: "\n")) == [], "\(lines[key])")
    }
    let all = lines.map { isCommentedKey($0) ? uncommented($0) : $0 }.joined(separator: "\n")
    #expect(problems(all) == [])
  }

  @Test func `all keys with their defaults change only the examples`() throws {
    let text = firstConfiguration(hasDesktop: true, log: "/news")
    let examples = ["planet:", "weather:", "radio:", "file:"]
    let all = text.split(separator: "\n").map(String.init).map { line in
      isCommentedKey(line) && !examples.contains { line.contains("#" + $0) } ? uncommented(line) : line
    }

    // Fingerprints are of what is written.
    var settings = [all.joined(separator: "\n"), text].map {
      reading($0, path: "/home/me/bgfetch.yaml").settings
    }
    for index in settings.indices {
      let feeds = settings[index]?.feeds.map(\.withoutFingerprint) ?? []
      settings[index]?.feeds = FeedList(feeds)
      settings[index]?.profiles.standard?.fingerprint = 0
    }
    #expect(settings[0] == settings[1] && settings[0] != nil)
  }

  @Test func `every key that has a default is in the first configuration`() {
    let text = firstConfiguration(hasDesktop: false, log: "/news")
    let without: Set = ["network.user-agent", "feeds.*.title", "hooks", "defaults"]

    for key in configurationKeys where key.defaultText != nil && !without.contains(key.path) {
      // Keys below a mapping that does not exist by default are covered by that mapping.
      let parents = configurationKeys.filter { key.path.hasPrefix($0.path + ".") }
      guard parents.allSatisfy({ ["{}", nil].contains($0.defaultText) }) else { continue }
      let name = key.path.split(separator: ".").last ?? ""
      #expect(
        text.contains("#\(name):") || text.contains("\n\(name):") || text.contains(" \(name):"), "\(key.path)"
      )
    }
  }

  @Test func `without a desktop, a program that every machine has writes news to a file`() throws {
    let hook = try #require(
      reading(firstConfiguration(hasDesktop: false, log: "/var/log/my news")).settings?.hooks.first)

    #expect(hook.run == ["tee", "-a", "/var/log/my news"].map { .one(Template(literal: $0)) })
    #expect(!hook.needsSessionBus)
  }

  @Test func `on a desktop, news is a popup that a click opens`() throws {
    let hook = try #require(reading(firstConfiguration(hasDesktop: true, log: "/news")).settings?.hooks.first)

    #expect(hook.isPopup && hook.needsSessionBus && hook.run.isEmpty)
  }
}

private func isCommentedKey(_ line: String) -> Bool {
  let text = line.drop { $0 == " " }
  return text.hasPrefix("#") && !text.hasPrefix("# ") && text.contains(":")
}

private func uncommented(_ line: String) -> String {
  guard let mark = line.firstIndex(of: "#") else { return line }
  return String(line[..<mark] + line[line.index(after: mark)...])
}
