// The name by which a feed keeps its past.

/// A feed's name in the configuration: 1 to 100 ASCII letters, digits, `-`, `_` and `.`, no leading dot or
/// dash.
public struct FeedName: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The name as written.
  public let text: String

  /// The name, or nil if the text is none.
  public init?(_ text: String) {
    let bytes = text.utf8
    guard (1...100).contains(bytes.count), let first = bytes.first, first != UInt8(ascii: "."),
      first != UInt8(ascii: "-"),
      bytes.allSatisfy({ byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
          true
        default:
          false
        }
      })
    else { return nil }
    self.text = text
  }

  /// The name as written.
  public var description: String { text }

  /// Orders names by their bytes.
  public static func < (left: FeedName, right: FeedName) -> Bool { left.text < right.text }
}
