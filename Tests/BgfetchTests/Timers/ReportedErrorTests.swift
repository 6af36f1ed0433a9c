// Which errors `run --watch` reports.

import Testing

@testable import bgfetch

@Suite struct ReportedErrorTests {
  /// Errors one after the other, and whether each is reported.
  private static let rows: [(name: String, errors: [(text: String, isOfServer: Bool)], isNews: [Bool])] = [
    ("the same error", [("full", false), ("full", false)], [true, false]),
    ("another error", [("full", false), ("locked", false)], [true, true]),
    (
      "a lost server in other words", [("cut", true), ("refused", true), ("cut", true)], [true, false, false]
    ),
    ("a lost server after another error", [("full", false), ("refused", true)], [true, true]),
    ("another error of the server", [("refused", true), ("no tables", false)], [true, true]),
  ]

  @Test(arguments: rows.indices)
  func `an error is reported once, and so is a lost server`(row: Int) {
    let (name, errors, isNews) = Self.rows[row]
    var reported = ReportedError()

    let found = errors.map { reported.isNews([$0.text], isOfServer: $0.isOfServer) }
    reported.forget()

    #expect(found == isNews, "\(name)")
    #expect(errors.last.map { reported.isNews([$0.text], isOfServer: $0.isOfServer) } == true, "\(name)")
  }
}
