// An event's fields as one JSON object of dotted names: {"feed.title":"Planet","count":3}. SQLite reads it
// back.

import Core

/// The fields of events as the store writes them: text, number and nothing as JSON has them, a moment as
/// `{"time": seconds}`.
enum EventFields {
  static func text(_ fields: [EventField]) -> String {
    JSONValue.object(
      fields.map { field in
        let value: JSONValue =
          switch field.value {
          case .text(let text): .string(text)
          case .number(let number): .number(number)
          case .time(let instant): .object([("time", .number(instant.secondsSince1970))])
          case .none: .null
          }
        return (field.name, value)
      }
    ).text
  }

  static func read(
    _ text: String, in database: borrowing Database
  ) throws(StoreFailure) -> [EventField] {
    try database.all(
      "SELECT key, type, iif(type = 'object', json_extract(value, '$.time'), value) FROM json_each(?1)", text
    ) { row throws(StoreFailure) in
      let name: String = try row.next()
      let value: EventField.Value =
        switch try row.next(String.self) {
        case "text": .text(try row.next())
        case "integer": .number(try row.next())
        case "object": .time(try row.next())
        default: .none
        }
      return EventField(name, value)
    }
  }
}
