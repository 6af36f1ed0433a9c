// File names from titles and Content-Disposition: inside the directory, unique, and valid on all common file systems.

import Foundation
import TestKit
import Testing

@Suite struct DownloadNameTests {
  /// Hostile titles and names.
  static let hostile: [String] = [
    "../../etc/passwd", "/etc/passwd", "..", ".", "...", "", " ", "a/b/c", "a\\b\\c", "C:\\Windows\\x", "con",
    "CON",
    "nul", "COM1", "lpt9.txt", "aux.mp3", ".hidden", "-rf", "--help", "trailing.", "trailing ",
    "trailing. . .",
    "a\nb", "a\tb", "bell\u{7}", "\u{1B}[31mred", "question?", "star*", "pipe|", "colon: two", "quote\"s",
    "<angle>",
    "it's", "100%2F", "?id=123", "\u{202E}gpj.exe", "zero\u{200B}width", "e\u{301}\u{301}clair", "ÉCLAIR",
    "éclair",
    "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", String(repeating: "long ", count: 100),
    String(repeating: "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", count: 40), "$(touch owned)",
    "`touch owned`",
    "~root", "{title}", "%s%n", "\u{FEFF}bom", "Title", "title", "TITLE", ".bgfetch", ".bgfetch/1.part",
  ]

  /// Expects names that are valid below the documents directory.
  private func expectGood(_ paths: [String]) {
    #expect(Set(paths.map { $0.precomposedStringWithCanonicalMapping.lowercased() }).count == paths.count)
    let reserved = ["con", "prn", "aux", "nul"] + (0...9).flatMap { ["com\($0)", "lpt\($0)"] }
    for path in paths {
      for part in path.split(separator: "/", omittingEmptySubsequences: false).map(String.init) {
        #expect(!part.isEmpty && part.utf8.count <= 255, "\(path)")
        #expect(!part.hasPrefix(".") && !part.hasPrefix("-") && !part.hasPrefix(" "), "\(path)")
        #expect(!part.hasSuffix(".") && !part.hasSuffix(" "), "\(path)")
        #expect(!part.contains { "\\:*?\"<>|".contains($0) }, "\(path)")
        #expect(
          !part.unicodeScalars.contains {
            $0.value < 32 || $0.value == 127 || (0x202A...0x202E).contains($0.value)
          })
        #expect(part.unicodeScalars.elementsEqual(part.precomposedStringWithCanonicalMapping.unicodeScalars))
        #expect(!reserved.contains(part.prefix { $0 != "." }.lowercased()), "\(path)")
      }
    }
  }

  /// The program with one small file for each hostile text.
  private func program(
    download: String, suggestsNames: Bool = false, _ episode: (String, Int, ScriptedServer) -> Episode
  ) throws -> (DownloadProgram, [FileContent]) {
    let program = try DownloadProgram([:], download: download, network: "connections-per-host: 16")
    var contents: [FileContent] = []
    let episodes = Self.hostile.enumerated().map { place, text in
      contents.append(FileContent(2_000 + place, seed: UInt64(place + 1)))
      let suggested = Misbehaviour.field(
        "Content-Disposition", "attachment; filename*=UTF-8''\(Self.encoded(text))")
      let file = suggestsNames ? AssetFile(contents[place], suggested) : AssetFile(contents[place])
      program.server.serve(file, at: "/\(place).mp3")
      return episode(text, place, program.server)
    }
    program.serve(episodes)
    return (program, contents)
  }

  private static func encoded(_ text: String) -> String {
    text.utf8.map { byte in
      let digits = String(byte, radix: 16, uppercase: true)
      return "%" + (digits.count == 1 ? "0" : "") + digits
    }.joined()
  }

  @Test(arguments: [
    "{title}{ext}", "{feed}/{title}{ext}", "{title}/{id}{ext}", "{published:%Y}/{title} {index}{ext}",
  ])
  func `hostile titles become valid names inside the directory`(template: String) async throws {
    let (program, contents) = try program(download: "name: \"\(template)\"") { text, place, server in
      // XML does not allow these characters.
      let title = text.replacingOccurrences(of: "\u{7}", with: "").replacingOccurrences(
        of: "\u{1B}", with: "")
      return Episode(id: "\(place)", title: title, url: server.url("/\(place).mp3"))
    }

    try await program.settle()

    try program.expectSettled(contents)
    expectGood(program.placed)
    #expect(program.placed.filter { !$0.hasSuffix(".mp3") } == [])
    expectNothingOutside(program)
  }

  @Test func `hostile names in Content-Disposition become valid names inside the directory`() async throws {
    let (program, contents) = try program(download: "name: \"{feed}/{name}{ext}\"", suggestsNames: true) {
      _, place, server in
      Episode(id: "\(place)", url: server.url("/\(place).mp3"))
    }

    try await program.settle()

    try program.expectSettled(contents)
    expectGood(program.placed)
    expectNothingOutside(program)
  }

  private func expectNothingOutside(_ program: DownloadProgram) {
    let home = program.bgfetch.home.path
    let outside = DownloadProgram.files(below: home).filter { $0.hasSuffix(".mp3") || $0.contains("owned") }
    #expect(outside.allSatisfy { $0.hasPrefix("documents/") }, "\(outside)")
    #expect(!FileManager.default.fileExists(atPath: home + "/owned"))
  }
}
