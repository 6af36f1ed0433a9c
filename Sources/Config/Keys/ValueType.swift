// The kinds of values that keys have: one line gives the words of the manual and of the schema, the reading, and how a
// default is written.

import Core

/// A kind of value.
struct ValueType<Value: Sendable>: Sendable {
  /// The allowed values, in the words that ConfigurationSchema reads.
  let words: String
  /// The meaning of the word `none`, if it is one of the words.
  let none: Value?
  /// A value as one would write it.
  let write: @Sendable (Value) -> String?
  let read: @Sendable (Field) throws(Mistake) -> Value

  init(
    _ words: String, none: Value? = nil, write: @escaping @Sendable (Value) -> String? = { _ in nil },
    read: @escaping @Sendable (Field) throws(Mistake) -> Value
  ) {
    (self.words, self.none, self.write, self.read) = (words, none, write, read)
  }

  /// The same values; `none` is a word for one of them.
  func withNone(_ none: Value) -> Self { Self(words, none: none, write: write, read: read) }

  /// The same values in other words.
  func worded(_ words: String) -> Self { Self(words, none: none, write: write, read: read) }

  /// The same values, or the word `none`, which is nil.
  var orNone: ValueType<Value?> {
    ValueType<Value?>(words + " or none", none: .some(nil), write: { [write] in $0.flatMap(write) ?? "none" })
    {
      [read] field throws(Mistake) in
      guard !field.node.isNone else { return nil }
      do throws(Mistake) {
        return try read(field)
      } catch {
        throw Mistake(
          at: error.location, error.what,
          cure: error.cure.map { $0.hasPrefix("write ") ? $0 + ", or none" : $0 })
      }
    }
  }

  /// The same values, or nil for `none` or if the key is missing.
  var optional: ValueType<Value?> {
    ValueType<Value?>(words, none: .some(nil)) { [read] field throws(Mistake) in try read(field) }
  }
}

extension ValueType<Int> {
  static func number(_ range: ClosedRange<Int>) -> Self {
    Self("\(range.lowerBound) to \(range.upperBound)", write: { "\($0)" }) { field throws(Mistake) in
      try field.wholeNumber(in: range)
    }
  }
}

extension ValueType<Bool> {
  static let flag = Self("true or false", write: { "\($0)" }) { field throws(Mistake) in try field.flag() }
}

extension ValueType where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// One of the words of an enumeration.
  static var word: Self {
    Self(list(Value.allCases.map(\.rawValue), "or"), write: \.rawValue) { field throws(Mistake) in
      try field.choice(Value.allCases.map { ($0.rawValue, $0) })
    }
  }
}

extension ValueType<String> {
  static let text = Self("text", write: { $0 }) { field throws(Mistake) in try field.someText() }
  static let path = Self("path", write: { $0 }) { field throws(Mistake) in try field.path() }
}

extension ValueType<Secret> {
  static let secret = Self("secret") { field throws(Mistake) in try field.secret() }
}

extension ValueType<Interval> {
  static func interval(_ least: Interval = .zero, _ most: Interval = .days(3650)) -> Self {
    // A minute is written as 60s, like other short times.
    Self("duration", write: { $0 <= .minutes(1) ? "\($0.seconds)s" : $0.text }) { field throws(Mistake) in
      try field.interval(atLeast: least, atMost: most)
    }
  }
}

extension ValueType<ByteCount> {
  static func size(_ least: Int64 = 0) -> Self {
    Self("size", write: \.written) { field throws(Mistake) in try field.size(atLeast: ByteCount(least)) }
  }
}

extension ValueType<[CronExpression]> {
  static let schedule = Self("cron expression or list", write: { _ in "none" }) { field throws(Mistake) in
    try field.oneOrMore(expecting: nil) { entry throws(Mistake) in
      try entry.parsed(
        expecting: "a cron expression such as \"*/10 7-22 * * mon-fri\"", { _ in "schedule: " },
        CronExpression.init(parsing:))
    }
  }
}

extension ValueType<WeeklyHours> {
  /// Hours of the week; those of a list are joined.
  static let hours = Self("hours of the week, list or always", write: \.text) { field throws(Mistake) in
    let expected = "always, or ranges such as mon-fri 08:00-18:00"
    let all = try field.oneOrMore(expecting: expected) { entry throws(Mistake) in
      try entry.parsed(
        expecting: "hours of the week such as \"mon-fri 08:00-18:00\", or always", { _ in "\(entry.name): " },
        WeeklyHours.init(parsing:))
    }
    guard let first = all.first else { throw .reported }
    return all.dropFirst().reduce(first) { $0.union($1) }
  }
}

extension ValueType<[String]> {
  /// A list that is empty by default.
  static func listOf(_ words: String, read: @escaping @Sendable (Field) throws(Mistake) -> [String]) -> Self {
    Self("list of " + words, write: { $0.isEmpty ? "[]" : nil }, read: read)
  }

  static let patterns = listOf("regular expressions") { field throws(Mistake) in
    try field.values(expecting: "a list of regular expressions such as [sponsored]") {
      entry throws(Mistake) in
      try entry.pattern()
    }
  }
}

extension Field {
  func pattern() throws(Mistake) -> String {
    _ = try someText(expecting: "a regular expression")
    return try parsed(
      expecting: "", { "\"\(shown($0))\" is not a regular expression: " }
    ) { text throws(TextProblem) in
      _ = try Pattern(parsing: text)
      return text
    }
  }
}
