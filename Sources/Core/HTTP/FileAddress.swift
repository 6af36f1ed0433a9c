// A file of this machine as an address (RFC 8089).

/// A file of this machine as an address: `file:///srv/feeds/planet.xml`.
public struct FileAddress: Hashable, Sendable, CustomStringConvertible {
  /// The absolute path.
  public let path: String

  /// The address of an absolute path.
  public init(path: String) {
    self.path = path
  }

  /// The file that an address names; nil if it is no `file:` address, names another host, or holds no absolute path.
  ///
  /// `file:/path`, `file:///path` and `file://localhost/path` are one (RFC 8089 section 2 and appendix B).
  public init?(_ text: String) {
    guard text.utf8.count > 5, text.prefix(5).lowercased() == "file:" else { return nil }
    let reference = URIReference(text)
    guard ["", "localhost"].contains(reference.authority?.lowercased() ?? ""), reference.query == nil,
      reference.fragment == nil, let path = Self.decoded(reference.path), path.hasPrefix("/")
    else { return nil }
    self.path = path
  }

  /// The address; whatever is not plain in it is percent-encoded.
  public var text: String {
    var text = "file://"
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."), UInt8(ascii: "~"):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
    return text
  }

  /// The address.
  public var description: String { text }

  /// Text without its percent-encoding; nil if that is broken, or hides a NUL.
  public static func decoded(_ text: String) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let digits = String(rest.prefix(2)), digits.utf8.count == 2,
        digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
        let value = UInt8(digits, radix: 16), value != 0
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    // A path that is no UTF-8 could not be opened by the text it would become.
    return String(validating: bytes, as: UTF8.self)
  }
}
