// The entities that a document declares for itself, such as `<!ENTITY nbsp "&#160;">`.

import Core

/// The general entities of the internal subset of a document type (XML 1.0 section 4.2), with their texts.
///
/// Entities of other files, parameter entities, and entities inside entities stay as they are written, so that a few lines cannot
/// become gigabytes.
struct DeclaredEntities {
  private var texts: [[UInt8]: [UInt8]] = [:]
  /// How many bytes may still come from entities.
  private var room: Int

  /// The maximum number of entities; further ones are not read.
  private static let most = 1000
  /// The maximum length of the text of an entity in bytes.
  private static let longest = 64 << 10
  private static let longestName = 64
  /// The entities that each document has and that keep their meaning.
  private static let standard: Set<[UInt8]> = Set(["lt", "gt", "amp", "quot", "apos"].map { Array($0.utf8) })

  /// The entities of a document of this size; all uses of them together are not much longer than that.
  init(documentSize: Int) { room = documentSize + Self.longest }

  var isEmpty: Bool { texts.isEmpty }

  /// Adds an entity; of several declarations of a name the first counts.
  mutating func declare(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    let name = Array(name)
    guard (1...Self.longestName).contains(name.count), value.count <= Self.longest, texts.count < Self.most,
      texts[name] == nil, !Self.standard.contains(name)
    else { return }
    var text: [UInt8] = []
    var start = 0
    var index = 0
    while let ampersand = firstIndex(of: "&", in: value, from: index) {
      index = ampersand + 1
      // References to characters by number are replaced here, and those by name where the text is used (section 4.4).
      guard index < value.count, value[index] == "#",
        let found = CharacterReference(in: value, at: ampersand, .xml)
      else { continue }
      text += value[start..<ampersand]
      text += UTF8.encode(found.scalar) ?? .init()
      index = ampersand + found.length
      start = index
    }
    texts[name] = text + value[start...]
  }

  /// The text of the declared entity that an ampersand refers to, and the length of the reference in bytes; nil for any other
  /// ampersand.
  mutating func text(
    in bytes: UnsafeBufferPointer<UInt8>, at ampersand: Int
  ) -> (text: [UInt8], length: Int)? {
    let rest = bytes[(ampersand + 1)...].prefix(Self.longestName + 1)
    guard let end = rest.firstIndex(of: ";"), let text = texts[Array(rest[..<end])], text.count <= room else {
      return nil
    }
    room -= text.count
    return (text, end + 1 - ampersand)
  }
}
