// The parts that every SQL statement of a kind must have.

import Foundation
import Testing

@Suite struct StatementTests {
  /// A feed whose moment stays known after a change would not be fetched when it is due (DueIndex.swift).
  @Test func `a statement that changes a feed says what becomes of its moment`() throws {
    let paths = try Repository.files(below: "Sources/Store", endingIn: ".swift")
    var count = 0
    for path in paths where !path.contains("/Schema/") {
      for rest in try Repository.text(path).components(separatedBy: "UPDATE feed SET").dropFirst() {
        let statement = rest.prefix { $0 != "\"" }
        count += 1
        // When feeds were configured does not change when they are due.
        #expect(
          ["due_at", "last_configured"].contains { statement.contains($0) },
          "\(path):\(statement)")
      }
    }
    #expect(count > 5)
  }
}
