// Elements in groups by a key, in parts of a size, without their ends, and the first of sorted ones.

extension Sequence {
  /// The elements of each key, in the order of the first ones.
  public func grouped<Key: Hashable>(by key: (Element) -> Key) -> [[Element]] {
    var groups: [[Element]] = []
    var indexByKey: [Key: Int] = [:]
    for element in self {
      let index = indexByKey[key(element), default: groups.count]
      if index == groups.count { groups.append([]) }
      indexByKey[key(element)] = index
      groups[index].append(element)
    }
    return groups
  }
}

extension BidirectionalCollection {
  /// Its elements without those at both ends that meet a condition.
  func trimmed(where isCut: (Element) -> Bool) -> SubSequence {
    let end = lastIndex { !isCut($0) }.map { index(after: $0) } ?? startIndex
    return self[..<end].drop(while: isCut)
  }
}

extension RandomAccessCollection where Index == Int {
  /// The index of the first element that meets a condition, which all elements after it meet, too; `endIndex` if none does.
  public func sortedIndex(where isMet: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if isMet(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension Array {
  /// Its elements in parts of at most `count`.
  public func parts(of count: Int) -> some Sequence<[Element]> {
    stride(from: 0, to: self.count, by: count).lazy.map {
      Array(self[$0..<Swift.min($0 + count, self.count)])
    }
  }
}
