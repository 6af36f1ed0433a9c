// The output that several commands share: JSON or text, tables, and details of one object.

import ArgumentParser
import Core

extension Console {
  /// Prints a result: JSON lines with `--json`, else text.
  func print(
    json: @autoclosure () throws -> [JSONValue], text: @autoclosure () throws -> [String]
  ) rethrows {
    if isJSON {
      for value in try json() { print(value) }
    } else {
      for line in try text() { print(line) }
    }
  }

  /// Prints a result: JSON lines with `--json`, else a table.
  func print(
    json: @autoclosure () throws -> [JSONValue], table: @autoclosure () throws -> [ReportLine]
  ) rethrows {
    if isJSON {
      for value in try json() { print(value) }
    } else {
      print(try table())
    }
  }
}

/// A table with a head; `problems` says for each row whether something went wrong.
func table(_ head: [String], _ rows: [[String]], problems: [Bool], on page: Page) -> [ReportLine] {
  let lines = table([head] + rows, hasHead: true, on: page)
  return zip(lines, [false] + problems).map { ReportLine(text: $0, isProblem: $1) }
}

/// Details of one object: its name, then a line for each row that has a text.
func details(
  of name: String, isProblem: Bool, _ rows: [(what: String, text: String?)], on page: Page
) -> [ReportLine] {
  let cells = rows.compactMap { row in
    row.text.flatMap { $0.isEmpty ? nil : ["  " + row.what, cleanText($0, limit: 5000)] }
  }
  return [ReportLine(text: name, isProblem: isProblem)]
    + table(cells, hasHead: false, on: page).map { ReportLine(text: $0) }
}

extension JSONValue {
  /// A number, or `null` for nil.
  static func count(_ number: Int?) -> JSONValue { integer(number.map(Int64.init)) }

  /// A number, or `null` for nil.
  static func integer(_ number: Int64?) -> JSONValue { number.map(JSONValue.number) ?? .null }
}

/// Refuses an option's number below 1.
func requirePositive(_ number: Int?, _ option: String) throws {
  if let number, number < 1 { throw ValidationError("\(option) must be 1 or more") }
}
