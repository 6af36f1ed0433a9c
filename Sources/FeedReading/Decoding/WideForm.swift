// UTF-16 and UTF-32, told by their byte order marks or by where their zero bytes stand.

/// An encoding in units of two or four bytes.
struct WideForm: Equatable {
  /// Bytes a unit.
  let width: Int
  /// Whether the most significant byte of a unit comes first.
  let isBigEndian: Bool
  /// Length of the byte order mark.
  let markLength: Int

  /// Recognises the form by a byte order mark, or by the zero bytes of two ASCII characters at the beginning.
  init?(of bytes: [UInt8]) {
    guard bytes.count >= 4 else { return nil }
    switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
    case (0xFF, 0xFE, 0, 0): self.init(4, isBigEndian: false, mark: 4)
    case (0, 0, 0xFE, 0xFF): self.init(4, isBigEndian: true, mark: 4)
    case (0xFF, 0xFE, _, _): self.init(2, isBigEndian: false, mark: 2)
    case (0xFE, 0xFF, _, _): self.init(2, isBigEndian: true, mark: 2)
    case (1..., 0, 0, 0): self.init(4, isBigEndian: false, mark: 0)
    case (0, 0, 0, 1...): self.init(4, isBigEndian: true, mark: 0)
    case (1..., 0, 1..., 0): self.init(2, isBigEndian: false, mark: 0)
    case (0, 1..., 0, 1...): self.init(2, isBigEndian: true, mark: 0)
    default: return nil
    }
  }

  private init(_ width: Int, isBigEndian: Bool, mark: Int) {
    self.width = width
    self.isBigEndian = isBigEndian
    self.markLength = mark
  }

  /// The text as UTF-8; what is no character becomes U+FFFD, an unfinished unit at the end is dropped.
  func utf8(of bytes: [UInt8]) -> [UInt8] {
    let count = (bytes.count - markLength) / width
    func unit(_ index: Int) -> UInt32 {
      var value: UInt32 = 0
      let start = markLength + index * width
      for offset in 0..<width {
        value = value << 8 | UInt32(bytes[isBigEndian ? start + offset : start + width - 1 - offset])
      }
      return value
    }
    var output: [UInt8] = []
    output.reserveCapacity(count * 3 / 2)
    var index = 0
    while index < count {
      var code = unit(index)
      index += 1
      if width == 2, (0xD800...0xDBFF).contains(code), index < count {
        let low = unit(index)
        if (0xDC00...0xDFFF).contains(low) {
          code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
          index += 1
        }
      }
      if code < 0x80 {
        output.append(UInt8(code))
      } else {
        output.append(contentsOf: UTF8.encode(Unicode.Scalar(code) ?? "\u{FFFD}") ?? .init())
      }
    }
    return output
  }
}
