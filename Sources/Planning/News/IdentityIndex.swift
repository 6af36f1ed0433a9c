// Which known item a document's item is (DESIGN "What is new": guid, else link, else hash).

import Model

/// The identities a document and the store hold, and the rule that matches them.
///
/// Two items are the same if their guids are; without guids, if their links are; without links, if their hashes are.
/// Where one document holds an identity twice, the next one tells those apart as well.
struct IdentityIndex {
  private let known: [KnownItem]
  private var byGuid: [String: [Int]] = [:]
  private var byLink: [String: [Int]] = [:]
  private var byHash: [UInt64: [Int]] = [:]
  private let repeatedGuids: Set<String>
  private let repeatedLinks: Set<String>

  init(_ known: [KnownItem], document: [ParsedItem]) {
    self.known = known
    for (index, item) in known.enumerated() {
      if let guid = item.guid { byGuid[guid, default: []].append(index) }
      if let link = item.link { byLink[link, default: []].append(index) }
      if item.guid == nil, item.link == nil { byHash[item.contentHash, default: []].append(index) }
    }
    repeatedGuids = Self.repeated(document.map(\.id))
    // A link says which item is meant only among items that have no guid.
    repeatedLinks = Self.repeated(document.map { $0.id == nil ? $0.link : nil })
  }

  /// The known item that this one is, or nil if it is new.
  func match(_ item: ParsedItem, contentHash: UInt64) -> KnownItem? {
    if let guid = item.id {
      let sameGuid = byGuid[guid] ?? []
      guard !repeatedGuids.contains(guid) else {
        return first(sameGuid) { $0.link == item.link && (item.link != nil || $0.contentHash == contentHash) }
      }
      // A feed that begins to give guids keeps its items: those stored without one are found by their links.
      return first(sameGuid) { $0.link == item.link } ?? first(sameGuid) { _ in true }
        ?? item.link.flatMap { first(byLink[$0] ?? []) { $0.guid == nil } }
    }
    if let link = item.link {
      let isRepeated = repeatedLinks.contains(link)
      return first(byLink[link] ?? []) { !isRepeated || $0.contentHash == contentHash }
    }
    return first(byHash[contentHash] ?? []) { _ in true }
  }

  /// What makes two items of one document the same, so that the second one is left out.
  func key(_ item: ParsedItem, contentHash: UInt64) -> String {
    if let guid = item.id {
      guard repeatedGuids.contains(guid) else { return "g" + guid }
      return "g\(guid)\u{0}" + (item.link ?? "#\(contentHash)")
    }
    if let link = item.link {
      return repeatedLinks.contains(link) ? "l\(link)\u{0}\(contentHash)" : "l" + link
    }
    return "h\(contentHash)"
  }

  private func first(_ candidates: [Int], where isMeant: (KnownItem) -> Bool) -> KnownItem? {
    for index in candidates where isMeant(known[index]) { return known[index] }
    return nil
  }

  private static func repeated(_ identities: [String?]) -> Set<String> {
    var seen: Set<String> = []
    var repeated: Set<String> = []
    for case let identity? in identities where !seen.insert(identity).inserted { repeated.insert(identity) }
    return repeated
  }
}
