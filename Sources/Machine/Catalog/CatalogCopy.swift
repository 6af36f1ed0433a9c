// This machine's copy of the catalog: a file of lines in the order of their names, from which single feeds are read, so that
// memory does not depend on the number of feeds. It can be made again at any time.
//
//     bgfetch-catalog 1 MARK VERSION
//     NAME TAB URL TAB PROFILE TAB TAGS       one line a feed
//     OFFSET NAME                             the first line of each block
//     COUNT FINGERPRINT OFFSET                the last line: of all feeds, and where the blocks are listed

import Core
import Glibc

/// An open copy of the catalog, which a new one may replace meanwhile.
public final class CatalogCopy: Sendable {
  public let path: String
  /// The store.
  public let mark: String
  /// The version of the catalog that it has.
  public let version: Int64
  public let count: Int
  public let namesFingerprint: UInt64
  private let file: Descriptor
  /// The first name and the place in the file of every block of `blockSize` lines.
  private let blocks: [(name: String, offset: Int64)]
  private let end: Int64

  /// How many lines are read together.
  static let blockSize = 64
  static let format = "bgfetch-catalog 1"

  /// Opens the copy of a store's catalog; nil if there is none, or it is damaged or of another store.
  public init?(_ path: String, mark: String) {
    guard (try? FileSafety.require(path)) != nil,
      let file = try? Descriptor.open(path, O_RDONLY | O_NOFOLLOW), let status = try? FileStatus(file),
      let head = file.text(at: 0, count: 200)?.split(separator: "\n").first,
      head.hasPrefix("\(Self.format) \(mark) "),
      let version = head.split(separator: " ").last.flatMap({ Int64($0) }),
      let last = file.text(at: max(0, status.size - 100), count: 100)?.split(separator: "\n").last,
      case let numbers = last.split(separator: " "), numbers.count == 3, let count = Int(numbers[0]),
      let fingerprint = UInt64(numbers[1]), let end = Int64(numbers[2]), end > 0, end < status.size,
      let list = file.text(at: end, count: Int(status.size - end) - last.utf8.count - 1)
    else { return nil }
    var blocks: [(name: String, offset: Int64)] = []
    for line in list.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 2, let offset = Int64(words[0]), offset < end, offset > blocks.last?.offset ?? 0
      else {
        return nil
      }
      blocks.append((String(words[1]), offset))
    }
    guard blocks.count == (count + Self.blockSize - 1) / Self.blockSize else { return nil }
    self.path = path
    self.mark = mark
    self.version = version
    self.count = count
    namesFingerprint = fingerprint
    self.file = file
    self.blocks = blocks
    self.end = end
  }

  /// The number of blocks, for reading all feeds.
  var blockCount: Int { blocks.count }

  /// The feeds at places that ascend; fewer if the file is damaged.
  func feeds(at places: [Int]) -> [CatalogFeed] {
    var feeds: [CatalogFeed] = []
    feeds.reserveCapacity(places.count)
    var (block, lines) = (-1, [Substring]())
    for place in places {
      if place / Self.blockSize != block {
        block = place / Self.blockSize
        lines = self.lines(ofBlock: block)
      }
      guard lines.indices.contains(place % Self.blockSize),
        let feed = Self.feed(lines[place % Self.blockSize])
      else { continue }
      feeds.append(feed)
    }
    return feeds
  }

  /// Removes a damaged copy, so that the next command makes a new one.
  func discard() { unlink(path) }

  /// The place of a feed among all names; nil if there is none.
  func place(of name: FeedName) -> Int? {
    var (low, high) = (0, blocks.count)
    while low < high {
      let middle = (low + high) / 2
      if blocks[middle].name <= name.text { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let start = Array((name.text + "\t").utf8)
    let bytes = bytes(ofBlock: low - 1)
    var (place, line) = ((low - 1) * Self.blockSize, 0)
    while line < bytes.count {
      if bytes[line...].starts(with: start) { return place }
      guard let end = bytes[line...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
      (place, line) = (place + 1, end + 1)
    }
    return nil
  }

  private func lines(ofBlock block: Int) -> [Substring] {
    String(decoding: bytes(ofBlock: block), as: UTF8.self).split(separator: "\n")
  }

  /// The lines of a block; none if they cannot be read.
  func bytes(ofBlock block: Int) -> [UInt8] {
    guard blocks.indices.contains(block) else { return [] }
    let stop = block + 1 < blocks.count ? blocks[block + 1].offset : end
    return file.bytes(at: blocks[block].offset, count: Int(stop - blocks[block].offset)) ?? []
  }

  private static func feed(_ line: Substring) -> CatalogFeed? {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
    guard fields.count == 4 else { return nil }
    return try? CatalogFeed(
      name: String(fields[0]), url: String(fields[1]), profile: fields[2].isEmpty ? nil : String(fields[2]),
      tags: fields[3].split(separator: " ").map(String.init))
  }

  static func line(of feed: CatalogFeed) -> String {
    "\(feed.name)\t\(feed.address.text)\t\(feed.profile ?? "")\t\(feed.tags.joined(separator: " "))\n"
  }
}

extension Descriptor {
  fileprivate func text(at offset: Int64, count: Int) -> String? {
    bytes(at: offset, count: count).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The bytes at a place of the file; nil if they cannot be read.
  fileprivate func bytes(at offset: Int64, count: Int) -> [UInt8]? {
    guard count >= 0, count < 1 << 30 else { return nil }
    var (found, buffer) = ([UInt8](), [UInt8](repeating: 0, count: count))
    while found.count < count {
      guard let read = try? read(into: &buffer, count - found.count, at: offset + Int64(found.count)) else {
        return nil
      }
      guard read > 0 else { break }
      // Usually all come at once.
      if read == count { return buffer }
      found += buffer[..<read]
    }
    return found
  }
}
