// Why a push is refused. Wording it is the program's business.

/// Why a payload is refused; nothing of it is stored then.
public enum PushProblem: Error, Hashable, Sendable {
  /// It is longer than `largest` bytes.
  case tooLarge(bytes: Int)
  /// It is no JSON.
  case notJSON
  /// It is JSON, but no object.
  case notAnObject
  /// The value of a key is not what belongs there; the second text says what does.
  case wrongValue(key: String, expected: String)
  /// A key stands twice, and nobody can tell which value counts.
  case repeated(key: String)
  /// A key that is made for a push without a payload is given beside it.
  case reserved(key: String)
  /// It names no feed, and there is none whose `push.url` is the only one.
  case namesNoFeed
  /// No feed has that name.
  case unknownFeed(String)
  /// The template of the feed's `push.url` or `push.description` has a placeholder for which the payload has no string or
  /// whole number of at most 256 bytes.
  case missingValue(key: String, feed: FeedName)
  /// A value cannot stand in an address: it is empty in a path, would make a segment `.` or `..`, or is longer than 256
  /// bytes.
  case unusableValue(key: String, feed: FeedName)
  /// The filled template is no address, or one that is too long.
  case noAddress(String, feed: FeedName)

  /// The most bytes of a payload, as for Apple's remote notifications.
  public static let largest = 4096
}
