// Text for XML, HTML and Pango markup.
//
// It compares bytes, never a Character: U+0600 and a `<` after it are one Character, which does not equal "<".

/// The format that `escapedMarkup` escapes for.
public enum MarkupFormat: Sendable {
  /// Content of an HTML element: `&` and `<`.
  case html
  /// The body of a notification, whose server reads markup and backslashes: `&`, `<`, `>` and `\\`.
  case notification
  /// XML and Pango, in content and in attributes: `&`, `<`, `>` and both quotes.
  case xml
}

/// A text with the characters escaped that mean something in a markup format.
public func escapedMarkup(_ text: String, for format: MarkupFormat = .xml) -> String {
  var text = text
  return text.withUTF8 { escapedMarkup($0, for: format) }
}

/// Bytes of UTF-8 with the characters escaped that mean something in a markup format.
public func escapedMarkup(_ bytes: UnsafeBufferPointer<UInt8>, for format: MarkupFormat) -> String {
  var output: [UInt8] = []
  output.reserveCapacity(bytes.count + bytes.count / 8)
  for byte in bytes {
    switch byte {
    case "&": output += "&amp;".utf8
    case "<": output += "&lt;".utf8
    case ">" where format != .html: output += "&gt;".utf8
    case "'" where format == .xml: output += "&#39;".utf8
    case "\"" where format == .xml: output += "&quot;".utf8
    case "\\" where format == .notification: output += "\\\\".utf8
    default: output.append(byte)
    }
  }
  return String(decoding: output, as: UTF8.self)
}
