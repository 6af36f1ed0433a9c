// Bytes in a column, and long texts compressed into them.

import CLate
import Core

/// The bytes of a column.
struct Blob: Storable {
  var bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  static var columnType: ColumnType { .bytes }
  var columnValue: ColumnValue { .bytes(bytes) }

  init?(_ value: ColumnValue) {
    guard case .bytes(let bytes) = value else { return nil }
    self.bytes = bytes
  }
}

/// A text as it is stored.
struct PackedText {
  /// The length of the text in bytes if it is compressed; nil if the bytes are the text.
  var size: Int64?
  var bytes: Blob
}

extension PackedText {
  /// Shorter texts are not compressed: that saves little.
  private static let shortest = 1000

  /// A text, compressed if that saves an eighth of its bytes and liblz4 is installed.
  init(_ text: String) {
    var text = text
    self = text.withUTF8 { source in
      let room = source.count - source.count / 8
      if source.count >= Self.shortest {
        let bytes = [UInt8](unsafeUninitializedCapacity: room) { target, count in
          count = bgfetch_compress(source.baseAddress, source.count, target.baseAddress, room)
        }
        if !bytes.isEmpty { return PackedText(size: Int64(source.count), bytes: Blob(bytes)) }
      }
      return PackedText(size: nil, bytes: Blob(Array(source)))
    }
  }

  /// The text; nil if it is damaged, longer than any that is stored, or compressed and the library is missing.
  var text: String? {
    let source = bytes.bytes
    guard let size else { return String(decoding: source, as: UTF8.self) }
    let bounds = 1...DetailBounds.mostContent.bytes
    guard bounds.contains(size), bounds.contains(Int64(source.count)) else { return nil }
    // This program wrote the size, so a row that claims less than it holds is damaged.
    let text = [UInt8](unsafeUninitializedCapacity: Int(size)) { target, count in
      count = bgfetch_decompress(source, source.count, target.baseAddress, Int(size))
    }
    return text.count == Int(size) ? String(decoding: text, as: UTF8.self) : nil
  }
}
