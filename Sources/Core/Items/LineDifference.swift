// The difference between two texts by lines, short enough for a message.

/// The removed and added lines between two texts.
struct LineDifference: Hashable, Sendable {
  /// Groups of lines that follow one another, removed ones first.
  private(set) var groups: [Group] = []

  struct Group: Hashable, Sendable {
    var removed: [String] = []
    var added: [String] = []
  }

  /// The most lines that are compared one by one, between those that are equal at both ends.
  ///
  /// The time grows with the square of the lines. More than these count as replaced.
  private static let mostCompared = 1000

  init(from old: [String], to new: [String]) {
    var start = 0
    while start < old.count, start < new.count, old[start] == new[start] { start += 1 }
    var (oldEnd, newEnd) = (old.count, new.count)
    while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1] {
      oldEnd -= 1
      newEnd -= 1
    }
    let (before, after) = (Array(old[start..<oldEnd]), Array(new[start..<newEnd]))
    guard before.count <= Self.mostCompared, after.count <= Self.mostCompared else {
      groups = [Group(removed: before, added: after)]
      return
    }
    let difference = after.difference(from: before)
    var isRemoved = Array(repeating: false, count: before.count)
    var isAdded = Array(repeating: false, count: after.count)
    for change in difference {
      switch change {
      case .remove(let offset, _, _): isRemoved[offset] = true
      case .insert(let offset, _, _): isAdded[offset] = true
      }
    }
    var (oldPlace, newPlace) = (0, 0)
    while oldPlace < before.count || newPlace < after.count {
      var group = Group()
      while oldPlace < before.count, isRemoved[oldPlace] {
        group.removed.append(before[oldPlace])
        oldPlace += 1
      }
      while newPlace < after.count, isAdded[newPlace] {
        group.added.append(after[newPlace])
        newPlace += 1
      }
      if !group.removed.isEmpty || !group.added.isEmpty {
        groups.append(group)
      } else {
        oldPlace += 1
        newPlace += 1
      }
    }
  }

  var firstAdded: String? { groups.lazy.compactMap(\.added.first).first }
  var firstRemoved: String? { groups.lazy.compactMap(\.removed.first).first }

  /// The changed lines after `+ ` and `- `, with an empty line between places, cut after whole lines.
  func text(limit: Int) -> String {
    var output = ""
    var left = groups.reduce(0) { $0 + $1.removed.count + $1.added.count }
    for (index, group) in groups.enumerated() {
      let lines = group.removed.map { "- " + $0 } + group.added.map { "+ " + $0 }
      for (place, line) in lines.enumerated() {
        let separator = output.isEmpty ? "" : place == 0 && index > 0 ? "\n\n" : "\n"
        guard output.utf8.count + separator.utf8.count + line.utf8.count + 40 <= limit else {
          return output + (output.isEmpty ? "" : "\n") + "… and \(counted(left, "more changed line"))"
        }
        output += separator + line
        left -= 1
      }
    }
    return output
  }
}
