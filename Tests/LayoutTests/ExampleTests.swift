// Checks every configuration that people may copy: in examples, README, pages and manual.

import Config
import Core
import Foundation
import Testing

@Suite struct ExampleTests {
  @Test(arguments: try Repository.files(below: "examples", endingIn: ".yaml"))
  func `an example has neither mistakes nor warnings`(path: String) throws {
    #expect(reading(try Repository.text(path), file: path).problems.map(\.text) == [])
  }

  @Test(arguments: ["README.md", "doc/podcasts.md", "doc/hooks.md", "doc/outputs.md"])
  func `a configuration in a page has neither mistakes nor warnings`(path: String) throws {
    let blocks = fencedBlocks(of: try Repository.text(path), language: "yaml")
    try #require(!blocks.isEmpty)

    for block in blocks { #expect(reading(completed(block), file: path).problems.map(\.text) == []) }
  }

  @Test(arguments: try ["README.md"] + Repository.files(below: "doc", endingIn: ".md"))
  func `a link in a page leads to a file`(path: String) throws {
    let folder = Repository.root.appending(path: path).deletingLastPathComponent()
    for link in try Repository.text(path).matches(of: /\]\(([^)#]+)\)/).map(\.output.1)
    where !link.contains("://") {
      let file = folder.appending(path: String(link)).standardizedFileURL.path
      #expect(FileManager.default.fileExists(atPath: file), "\(link)")
    }
  }

  @Test func `an example in bgfetch.yaml(5) has neither mistakes nor warnings`() throws {
    let page = try ManualPage("man/bgfetch.yaml.5")
    let blocks = page.sections.flatMap { section in
      page.literals(of: section.title) { line in
        line.hasSuffix(":") || ["include: ", "documents: "].contains(where: line.hasPrefix)
      }
    }
    try #require(!blocks.isEmpty)

    for block in blocks {
      #expect(reading(completed(block), file: "bgfetch.yaml.5").problems.map(\.text) == [])
    }
  }

  @Test func `the reference shows every key of the configuration`() throws {
    let text = try Repository.text("examples/reference.yaml")
    let shown = keyPaths(inBlockStyle: text)

    // The other form of a key that has two is a comment.
    let ofBucket = ["s3", "region", "access-key", "secret-key", "insecure"].map {
      ("documents." + $0, "#   \($0): ")
    }
    let other = [
      "state.postgres": "#   postgres: ", "state.password": "#   password: ",
    ].merging(ofBucket) { $1 }
      .filter { text.contains($0.value) }
    #expect(Set(configurationKeys.map(\.path)).subtracting(shown) == Set(other.keys))
  }
}

/// The result of reading a configuration.
private func reading(_ text: String, file: String) -> ConfigurationReading {
  let environment = ["XDG_STATE_HOME": "/home/me/.local/state", "XDG_DATA_HOME": "/home/me/.local/share"]
  return readConfiguration(
    Array(text.utf8), file: file, path: Repository.root.appending(path: file).path,
    context: ConfigurationContext(
      environment: environment, home: "/home/me", files: repositoryFiles, isZone: { $0 == "UTC" }))
}

/// The files that examples include, which lie beside them.
private let repositoryFiles = ConfigurationFiles(
  matching: { pattern in
    let examples = try? Repository.files(below: "examples", endingIn: "")
    let paths = (examples ?? []).map { Repository.root.appending(path: $0).path }
    return .success(paths.filter { glob(matches: $0, pattern: pattern) })
  },
  identity: { $0 },
  read: { path, _ in
    guard let bytes = try? Data(contentsOf: URL(filePath: path)) else {
      // The files that a manual names need not exist.
      return .success(ConfigurationFile(bytes: Array("feeds: {}\n".utf8)))
    }
    return .success(ConfigurationFile(bytes: Array(bytes)))
  })

/// A configuration that is shown in part, completed by a feed.
private func completed(_ text: String) -> String {
  text.hasPrefix("feeds:") || text.contains("\nfeeds:")
    ? text : "feeds: {planet: https://planet.example/}\n" + text
}

/// The blocks of code in a language in Markdown text.
private func fencedBlocks(of text: String, language: String) -> [String] {
  text.split(separator: "```" + language + "\n").dropFirst().compactMap { block in
    block.split(separator: "```").first.map(String.init)
  }
}

/// The dotted paths of the keys of a YAML file in block style, the names of feeds, hooks, headers and variables as `*`.
private func keyPaths(inBlockStyle text: String) -> Set<String> {
  var path: [String] = []
  var found: Set<String> = []
  for line in text.split(separator: "\n") {
    let indent = line.prefix { $0 == " " }.count
    let rest = line.dropFirst(indent)
    guard !rest.hasPrefix("#"), let colon = rest.firstIndex(of: ":") else { continue }
    path = Array(path.prefix(indent / 2))
    let isNamed =
      ["feeds", "hooks", "outputs", "catalog"].contains(path.joined(separator: "."))
      || ["headers", "environment", "only"].contains(path.last)
    path.append(isNamed ? "*" : String(rest[..<colon]))
    found.insert(path.joined(separator: "."))
  }
  return found
}
