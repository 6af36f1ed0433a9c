// Elements in groups by a key.

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
