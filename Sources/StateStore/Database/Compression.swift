// Bytes in a column, and long texts compressed into them.

import CCompress
import Core

/// The bytes of a column.
struct Blob: Storable {
  var bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  static var columnType: ColumnType { .bytes }
  func bind(to parameters: inout Parameters) { parameters.bind(bytes) }

  init?(_ row: borrowing Row) {
    guard let bytes = row.bytes else { return nil }
    self.bytes = bytes
  }
}

/// A text as it is stored.
struct PackedText {
  /// The length of the text in bytes if it is compressed; nil if the bytes are the text.
  var size: Int64?
  var bytes: Blob
}

/// Compresses texts with libzstd if it is installed; for one thread at a time.
final class TextPacker {
  /// Shorter texts are not compressed: that takes as long as for longer texts, and saves little.
  private static let shortest = 1000

  private var loaded: OpaquePointer?
  private var isLoaded = false

  deinit {
    bgfetch_compressor_free(loaded)
  }

  /// Loads libzstd when it is first needed; nil if it is missing.
  private var compressor: OpaquePointer? {
    if !isLoaded { (loaded, isLoaded) = (bgfetch_compressor_new(), true) }
    return loaded
  }

  /// A text, compressed if that saves an eighth of its bytes.
  func pack(_ text: String) -> PackedText {
    var text = text
    return text.withUTF8 { source in
      let room = source.count - source.count / 8
      if source.count >= Self.shortest, let compressor {
        let bytes = [UInt8](unsafeUninitializedCapacity: room) { target, count in
          count = bgfetch_compress(compressor, source.baseAddress, source.count, target.baseAddress, room)
        }
        if !bytes.isEmpty { return PackedText(size: Int64(source.count), bytes: Blob(bytes)) }
      }
      return PackedText(size: nil, bytes: Blob(Array(source)))
    }
  }

  /// The text; nil if it is damaged, longer than any that is stored, or compressed and libzstd is missing.
  func unpack(_ packed: PackedText) -> String? {
    guard let size = packed.size else { return String(decoding: packed.bytes.bytes, as: UTF8.self) }
    guard (1...DetailBounds.mostContent.bytes).contains(size), let compressor else { return nil }
    let source = packed.bytes.bytes
    // This program wrote the size, so a row that claims less than it holds is damaged.
    let text = [UInt8](unsafeUninitializedCapacity: Int(size)) { target, count in
      count = bgfetch_decompress(compressor, source, source.count, target.baseAddress, Int(size))
    }
    return text.count == Int(size) ? String(decoding: text, as: UTF8.self) : nil
  }
}
