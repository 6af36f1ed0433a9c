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

/// A value that is written as JSON in one way only.
protocol JSONConvertible {
  var json: JSONValue { get }
}

/// The members of an object in their order; nil is `null`.
typealias JSONMembers = KeyValuePairs<String, (any JSONConvertible)?>

extension JSONValue: JSONConvertible {
  var json: JSONValue { self }

  init(_ members: JSONMembers) { self = .object(members.map { ($0.key, $0.value?.json ?? .null) }) }

  /// The object with the members of another one after its own.
  func adding(_ other: JSONValue) -> JSONValue {
    guard case .object(let first) = self, case .object(let second) = other else { return self }
    return .object(first + second)
  }
}

extension String: JSONConvertible { var json: JSONValue { .string(self) } }
extension Bool: JSONConvertible { var json: JSONValue { .bool(self) } }
extension BinaryInteger where Self: JSONConvertible { var json: JSONValue { .number(Int64(clamping: self)) } }
extension Int: JSONConvertible {}
extension Int32: JSONConvertible {}
extension Int64: JSONConvertible {}
extension Timestamp: JSONConvertible { var json: JSONValue { .string(rfc3339) } }
extension Instant: JSONConvertible { var json: JSONValue { .string(rfc3339) } }
extension FeedName: JSONConvertible { var json: JSONValue { .string(text) } }
extension Array: JSONConvertible where Element: JSONConvertible {
  var json: JSONValue { .array(map(\.json)) }
}

/// Refuses an option's number below 1.
func requirePositive(_ number: Int?, _ option: String) throws {
  if let number, number < 1 { throw ValidationError("\(option) must be 1 or more") }
}
