// The places in a page that the parts of items come from, found once for all items.

import Core

/// The matching elements of each part's selectors, in document order.
struct PagePlaces {
  private var sources: [JSONMapping.Part: [Source]] = [:]
  private let configured: Set<JSONMapping.Part>

  private struct Source {
    /// Nil is the item itself.
    let elements: [Int]?
    let attribute: UInt64?
  }

  /// The selectors of parts that the configuration does not name; the first one with a value counts.
  private static let defaults: [(part: JSONMapping.Part, values: [String])] = [
    (.title, ["h1, h2, h3, h4, h5, h6", "a[href]"]), (.link, ["a[href]"]), (.published, ["time"]),
  ]

  /// The maximum number of matches in an item to try for a value.
  private static let mostTried = 8

  /// - Parameter find: the elements that selectors match.
  init(_ mapping: HTMLMapping, _ find: (SelectorList) -> [Int]) {
    configured = Set(mapping.parts.keys)
    for (part, value) in mapping.parts {
      sources[part] = [
        Source(elements: value.selector.map(find), attribute: value.attribute.map { nameHash($0.utf8) })
      ]
    }
    for (part, values) in Self.defaults where mapping.parts[part] == nil {
      sources[part] = values.compactMap { text in
        (try? SelectorList(parsing: text)).map { Source(elements: find($0), attribute: nil) }
      }
    }
  }

  /// Whether the configuration names a part.
  func isConfigured(_ part: JSONMapping.Part) -> Bool { configured.contains(part) }

  func attribute(_ part: JSONMapping.Part) -> UInt64? { sources[part]?.first?.attribute }

  /// The elements of a part in an item, which may be the item itself.
  func all(_ part: JSONMapping.Part, in item: Int, _ tree: HTMLTree) -> ArraySlice<Int> {
    sources[part]?.first.map { elements(of: $0, in: item, tree) } ?? []
  }

  /// The first value of a part in an item.
  func first<Value>(
    _ part: JSONMapping.Part, in item: Int, _ tree: HTMLTree,
    _ read: (_ node: Int, _ attribute: UInt64?) -> Value?
  ) -> Value? {
    for source in sources[part] ?? [] {
      for node in elements(of: source, in: item, tree).prefix(Self.mostTried) {
        if let value = read(node, source.attribute) { return value }
      }
    }
    return nil
  }

  private func elements(of source: Source, in item: Int, _ tree: HTMLTree) -> ArraySlice<Int> {
    guard let elements = source.elements else { return [item] }
    let start = index(of: item, in: elements)
    return elements[start..<index(of: Int(tree.nodes[item].end), in: elements)]
  }

  /// The index of the first element at or after a node.
  private func index(of node: Int, in elements: [Int]) -> Int {
    var (low, high) = (0, elements.count)
    while low < high {
      let middle = (low + high) / 2
      if elements[middle] < node { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
