// Checks that the manual has the commands, options, configuration keys and events of the program, and no others.

import Config
import Core
import Foundation
import Testing

@Suite struct ManualTests {
  /// Commands that only the program itself starts.
  private static let inner: Set = ["popup"]

  @Test func `the manual has one section for every command, and for no other`() throws {
    let documented = try commandPages().flatMap(\.sections).map(\.title).filter { $0.hasPrefix("bgfetch ") }
    let commands = Set(try CommandLineTool.dumped().commands.map(\.name)).subtracting(Self.inner)

    #expect(Set(documented).count == documented.count)
    #expect(Set(documented) == Set(commands.map { "bgfetch " + $0 }))
  }

  @Test func `the manual lists every option of a command, and no other`() throws {
    let pages = try commandPages()
    let common = try #require(ManualPage("man/bgfetch.1").section("Common options")).options
    let choosing = try #require(ManualPage("man/bgfetch-items.1").section("Choosing items")).options
    let printing = try jsonCommands()

    for command in try CommandLineTool.dumped().commands where !Self.inner.contains(command.name) {
      let section = try #require(pages.lazy.compactMap { $0.section("bgfetch " + command.name) }.first)
      let shared = section.lines.contains { $0.contains("Choosing items") } ? common.union(choosing) : common

      // A command may show the version, and need not.
      let others = Set(["--version"] + (printing.contains(command.name) ? [] : ["--json"]))
      let documented = section.options.union(shared).subtracting(others)
      #expect(documented == command.allOptions.subtracting(["--version"]), "\(command.name)")
    }
  }

  /// The commands of which bgfetch.json(5) describes the output.
  private func jsonCommands() throws -> Set<String> {
    let items = try ManualPage("man/bgfetch.json.5").section("DESCRIPTION")?.lines ?? []
    return Set(
      items.filter { $0.hasPrefix(".It Cm ") }.flatMap { $0.split { " ,".contains($0) }.map(String.init) })
  }

  @Test func `the program has the common options of the manual`() throws {
    #expect(try CommandLineTool.dumped().options.isSuperset(of: ["--help", "--version"]))
  }

  @Test func `the synopsis of a page shows the options of each of its commands`() throws {
    for page in try commandPages() {
      let synopsis = page.synopsis
      for section in page.sections where section.title.hasPrefix("bgfetch ") {
        #expect(
          synopsis[String(section.title.dropFirst(8)), default: []].isSuperset(of: section.options), "\(page)"
        )
      }
    }
  }

  @Test func `bgfetch(1) names the page of every command`() throws {
    let overview = try Repository.text("man/bgfetch.1")

    for page in try commandPages() where page.sections.contains(where: { $0.title.hasPrefix("bgfetch ") }) {
      #expect(overview.contains(".It Xr \(page.reference) :"), "\(page.reference)")
    }
    for command in try CommandLineTool.dumped().commands where !Self.inner.contains(command.name) {
      #expect(
        try #require(ManualPage("man/bgfetch.1").section("COMMANDS")).lines.contains { line in
          line.hasPrefix(".Cm ") && line.split { " ,".contains($0) }.contains { $0 == command.name }
        }, "\(command.name)")
    }
  }

  @Test func `bgfetch.json(5) lists every command that prints JSON, and no other`() throws {
    let documented = try #require(ManualPage("man/bgfetch.json.5").section("DESCRIPTION")).commands
    let commands = try CommandLineTool.dumped().commands.filter { $0.allOptions.contains("--json") }

    #expect(Set(documented) == Set(commands.map(\.name)))
  }

  @Test func `a reference to a section leads to one`() throws {
    let pages = try commandPages()
    for page in pages {
      for reference in page.references {
        let target = pages.first { $0.reference == reference.page ?? page.reference }
        #expect(target?.section(reference.section) != nil, "\(page.reference): \(reference)")
      }
    }
  }

  @Test func `bgfetch.yaml(5) lists every key of the configuration, and no other`() throws {
    let page = try ManualPage("man/bgfetch.yaml.5")

    let documented = page.sections.filter { $0.title.hasSuffix(" KEYS") }.flatMap(\.commands)

    #expect(documented.sorted() == configurationKeys.map { $0.path.replacing("*", with: "NAME") }.sorted())
  }

  @Test func `bgfetch.yaml(5) lists every key of a condition, and no other`() throws {
    let documented = try #require(ManualPage("man/bgfetch.yaml.5").section("FILTERS")).commands

    #expect(documented.map { "condition." + $0 }.sorted() == conditionKeys.map(\.path).sorted())
  }

  @Test func `bgfetch.yaml(5) lists every event, and no other`() throws {
    let documented = try #require(ManualPage("man/bgfetch.yaml.5").section("EVENTS")).commands

    #expect(documented.sorted() == EventKind.allCases.map(\.rawValue).sorted())
  }
}

/// The pages that may describe commands.
private func commandPages() throws -> [ManualPage] {
  try Repository.files(below: "man", endingIn: "").map { try ManualPage($0) }
}
