// What can be told of the addresses that a push's template makes, whatever the values are.

extension Template {
  /// The address of the template with a letter in place of every placeholder; nil if it is none.
  ///
  /// Where placeholders stand only behind the authority, every address that the template makes has its origin.
  public var sampleAddress: WebAddress? { WebAddress(filled { _, _ in "x" }) }

  /// The text before the first placeholder.
  public var literalBeginning: String {
    if case .literal(let text)? = parts.first { text } else { "" }
  }
}

extension URIReference {
  /// Whether a segment of the path is `.` or `..`, however it is written: it would lead elsewhere than it looks (RFC 3986
  /// section 5.2.4).
  ///
  /// Servers differ in when they decode and what they take for a slash, so percent signs are decoded until none is left,
  /// a backslash ends a segment, and so does a semicolon, which begins the parameters of one.
  public var hasDotSegment: Bool {
    Self.decoded(path).split { Self.isSlash($0) || $0 == UInt8(ascii: ";") }.contains {
      $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8)
    }
  }

  /// Whether a value of the query is a path with a segment `..`, however that is written.
  public var hasDotSegmentInQuery: Bool {
    Self.decoded(query ?? "").split { "&=;?#".utf8.contains($0) }.contains { value in
      value.contains(where: Self.isSlash)
        && value.split(whereSeparator: Self.isSlash).contains { $0.elementsEqual("..".utf8) }
    }
  }

  private static func isSlash(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
  }

  /// The bytes of a text with its percent signs decoded until none is left that stands before two hexadecimal digits.
  private static func decoded(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    // Read from the end, so that what a decoded sign makes with what follows it is decoded, too.
    for byte in text.utf8.reversed() {
      bytes.append(byte)
      while bytes.count > 2, bytes[bytes.count - 1] == UInt8(ascii: "%"),
        let high = hexadecimal(bytes[bytes.count - 2]), let low = hexadecimal(bytes[bytes.count - 3])
      {
        bytes.replaceSubrange((bytes.count - 3)..., with: [high << 4 | low])
      }
    }
    return bytes.reversed()
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
  }
}

extension FeedSpec {
  /// Whether an address is one that `push.url` may make: the user has written its host.
  public func isPushAddress(_ address: WebAddress) -> Bool {
    guard let template = push.url, let sample = template.sampleAddress, sample.origin == address.origin else {
      return false
    }
    return address.text.hasPrefix(template.literalBeginning) && !address.leads(elsewhereThan: sample)
  }
}

extension WebAddress {
  /// Whether values in an address lead to another directory than the one that stands there without them.
  public func leads(elsewhereThan sample: WebAddress) -> Bool {
    let (own, other) = (URIReference(text), URIReference(sample.text))
    return own.hasDotSegment && !other.hasDotSegment
      || own.hasDotSegmentInQuery && !other.hasDotSegmentInQuery
  }
}
