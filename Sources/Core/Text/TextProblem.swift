// A mistake in a text that a person wrote, and its place.

/// The reason why a text is not what it should be, such as a cron expression or a selector.
public struct TextProblem: Error, Sendable {
  /// The message; of pointers and selectors the rest of a sentence about the text.
  public let what: String
  public let cure: String
  /// The place in characters of the text, from 1; one past the end if something is missing there.
  public let column: Int

  init(what: String, cure: String, column: Int = 1) {
    (self.what, self.cure, self.column) = (what, cure, column)
  }

  init(_ words: Words, at column: Int) { self.init(what: words.what, cure: words.cure, column: column) }

  /// The message and its cure, for a line.
  public var text: String { "\(what); \(cure)" }

  /// A message with its cure.
  struct Words {
    let what: String
    let cure: String

    init(_ what: String, _ cure: String) { (self.what, self.cure) = (what, cure) }
  }
}
