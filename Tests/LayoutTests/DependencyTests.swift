// The page of dependencies has the size of what is written here, for those who ask why.

import Foundation
import Testing

@Suite struct DependencyTests {
  @Test func `the page of dependencies has the code lines of each part, within a tenth`() throws {
    let files = try [".swift", ".c"].flatMap { try Repository.files(below: "Sources", endingIn: $0) }
    var parts = 0
    for row in try Repository.text("doc/dependencies.md").split(separator: "\n") {
      let cells = row.replacing("\\|", with: "").split(separator: "|").map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      guard cells.count == 6, let claimed = Int(cells[2]) else { continue }
      let globs = cells[1].matches(of: /`([^`]+)`/).map { String($0.1) }
      guard !globs.isEmpty else { continue }
      parts += 1
      let named = files.filter { file in globs.contains { fnmatch("*/" + $0, file, 0) == 0 } }
      let lines = try named.reduce(0) { try $0 + codeLines(of: Repository.text($1)) }
      #expect(abs(lines - claimed) * 10 <= lines, "\(cells[0]): \(lines)")
    }
    #expect(parts > 20)
  }

  private func codeLines(of text: String) -> Int {
    text.split(separator: "\n").count { line in
      let line = line.trimmingCharacters(in: .whitespaces)
      return !line.isEmpty && !["//", "/*", "*"].contains(where: line.hasPrefix)
    }
  }
}
