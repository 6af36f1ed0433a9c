// The entities that a document declares for itself, such as `<!ENTITY nbsp "&#160;">`.

import Core

/// The general entities of the internal subset of a document type (XML 1.0 section 4.2), with their texts.
///
/// Entities of other files and parameter entities are left out. Entities inside entities are replaced within bounds, so that
/// a few lines cannot become gigabytes: what is beyond stays as it is written, and so does an entity that contains itself.
struct DeclaredEntities {
  /// The texts as declared, with references to characters by number replaced.
  private var declared: [[UInt8]: [UInt8]] = [:]
  /// The texts with all entities in them replaced; nil for one that is beyond the bounds.
  private var expanded: [[UInt8]: [UInt8]?] = [:]
  /// How many bytes may still come from entities.
  private var room: Int

  /// The maximum number of entities; further ones are not read.
  private static let most = 1000
  /// The maximum depth of entities in entities.
  private static let mostNested = 8
  /// The maximum length of the text of an entity in bytes.
  private static let longest = 64 << 10
  private static let longestName = 64
  /// The entities that each document has and that keep their meaning.
  private static let standard: Set<[UInt8]> = Set(["lt", "gt", "amp", "quot", "apos"].map { Array($0.utf8) })

  /// The entities of a document of this size; all uses of them together are not much longer than that.
  init(documentSize: Int) { room = documentSize + Self.longest }

  var isEmpty: Bool { declared.isEmpty }

  mutating func removeAll() { declared = [:] }

  /// Adds an entity; of several declarations of a name the first counts.
  mutating func declare(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    let name = Array(name)
    guard (1...Self.longestName).contains(name.count), value.count <= Self.longest,
      declared.count < Self.most, declared[name] == nil, !Self.standard.contains(name)
    else { return }
    var text: [UInt8] = []
    var start = 0
    var index = 0
    while let ampersand = firstIndex(of: "&", in: value, from: index) {
      index = ampersand + 1
      guard index < value.count, value[index] == "#",
        let found = CharacterReference(in: value, at: ampersand, .xml)
      else { continue }
      text += value[start..<ampersand]
      text += UTF8.encode(found.scalar) ?? .init()
      index = ampersand + found.length
      start = index
    }
    declared[name] = text + value[start...]
  }

  /// The text of the declared entity that an ampersand refers to, without declared entities; nil for any other ampersand.
  mutating func text(in bytes: UnsafeBufferPointer<UInt8>, at ampersand: Int) -> Replacement? {
    guard let name = Self.name(in: bytes, at: ampersand), let text = text(of: name, depth: 0),
      text.count <= room
    else { return nil }
    room -= text.count
    return Replacement(text: text, length: name.count + 2)
  }

  struct Replacement {
    let text: [UInt8]
    /// The length of the reference in bytes.
    let length: Int
  }

  private static func name(in bytes: UnsafeBufferPointer<UInt8>, at ampersand: Int) -> [UInt8]? {
    let rest = bytes[(ampersand + 1)...].prefix(longestName + 1)
    guard let end = rest.firstIndex(of: ";"), end > rest.startIndex else { return nil }
    return Array(rest[..<end])
  }

  private mutating func text(of name: [UInt8], depth: Int) -> [UInt8]? {
    if let known = expanded[name] { return known }
    guard let value = declared[name], depth < Self.mostNested else { return nil }
    // Until it is known, so that it does not contain itself.
    expanded[name] = .some(nil)
    let found = value.withUnsafeBufferPointer { self.text(of: $0, depth: depth) }
    expanded[name] = .some(found)
    return found
  }

  private mutating func text(of value: UnsafeBufferPointer<UInt8>, depth: Int) -> [UInt8]? {
    var text: [UInt8] = []
    var start = 0
    var index = 0
    while let ampersand = firstIndex(of: "&", in: value, from: index) {
      index = ampersand + 1
      guard let name = Self.name(in: value, at: ampersand), declared[name] != nil else { continue }
      guard let inner = self.text(of: name, depth: depth + 1) else { return nil }
      text += value[start..<ampersand]
      text += inner
      guard text.count <= min(Self.longest, room) else { return nil }
      index = ampersand + name.count + 2
      start = index
    }
    return text + value[start...]
  }
}
