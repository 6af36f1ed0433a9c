// Keeps a bounded part of what a program prints, so that one that prints for ever costs no memory.

/// The beginning or the end of a stream of bytes.
struct Capture {
  /// Which part is kept.
  enum Part {
    case beginning, end
  }

  private let part: Part
  private let limit: Int
  private(set) var bytes: [UInt8] = []
  /// Whether bytes were left out.
  private(set) var isCut = false

  init(_ part: Part, limit: Int) {
    self.part = part
    self.limit = max(0, limit)
  }

  /// Takes the next bytes of the stream.
  mutating func append(_ piece: [UInt8]) {
    switch part {
    case .beginning:
      let room = limit - bytes.count
      bytes += piece.prefix(room)
      isCut = isCut || piece.count > room
    case .end:
      let excess = bytes.count + piece.count - limit
      guard excess > 0 else {
        bytes += piece
        return
      }
      bytes.removeFirst(min(excess, bytes.count))
      bytes += piece.suffix(limit)
      isCut = true
    }
  }
}
