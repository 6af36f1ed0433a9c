// Finding the values that JSON pointers lead to, in one walk over a document.

import Core

/// A walk over a JSON value that stops at every value to which a pointer leads.
///
/// Values that no pointer leads through are skipped. So the walk goes no deeper than the longest pointer, and its time is
/// proportional to the document's size and the number of pointers.
struct PointerWalk {
  private let pointers: [JSONPointer]
  /// The number of tokens of each pointer.
  private let lengths: [Int]

  /// Reads or skips the next value, to which the numbered pointers lead.
  typealias Found = (_ json: inout JSONScanner, _ pointers: [Int]) -> Void

  /// The pointers are numbered by their order in the list.
  init(_ pointers: [JSONPointer]) {
    self.pointers = pointers
    lengths = pointers.map(\.tokens.count)
  }

  /// Walks over the next value.
  ///
  /// A pointer that leads to an object or array is ignored if a longer pointer leads through it: only the longer one can
  /// lead to text.
  ///
  /// - Parameters:
  ///   - steps: the number of values that may still be visited; further ones are skipped.
  ///   - found: called for each value found.
  func go(over json: inout JSONScanner, steps: inout Int, _ found: Found) {
    walk(&json, Array(pointers.indices), depth: 0, &steps, found)
  }

  private func walk(
    _ json: inout JSONScanner, _ active: [Int], depth: Int, _ steps: inout Int, _ found: Found
  ) {
    steps -= 1
    let onward = those(of: active) { lengths[$0] > depth }
    guard !onward.isEmpty else {
      found(&json, active)
      return
    }
    let isObject = json.peek() == UInt8(ascii: "{")
    guard json.peek() == UInt8(ascii: "[") || isObject else {
      if onward.count == active.count {
        json.skip()
      } else {
        found(&json, active.filter { lengths[$0] == depth })
      }
      return
    }
    // Pointers with a `*` here lead to every value, so that only the others are compared with each value.
    let everywhere = those(of: onward) { pointers[$0].tokens[depth] == .every }
    let elsewhere = those(of: onward) { pointers[$0].tokens[depth] != .every }
    func visit(_ leads: (JSONPointer.Token) -> Bool) {
      var next = steps > 0 ? everywhere : []
      if steps > 0, elsewhere.contains(where: { leads(pointers[$0].tokens[depth]) }) {
        next = onward.filter { leads(pointers[$0].tokens[depth]) }
      }
      if next.isEmpty { json.skip() } else { walk(&json, next, depth: depth + 1, &steps, found) }
    }
    if isObject {
      guard json.enter("{") else { return }
      while let name = json.nextMember() { visit { $0.leads(toMember: name) } }
    } else {
      guard json.enter("[") else { return }
      var index = 0
      while json.nextValue() {
        visit { $0.leads(toElement: index) }
        index += 1
      }
    }
  }

  /// The numbers that fulfil a condition.
  ///
  /// A new array is made only for some of them, as all or none is usual.
  private func those(of numbers: [Int], _ condition: (Int) -> Bool) -> [Int] {
    let count = numbers.count(where: condition)
    return count == numbers.count ? numbers : count == 0 ? [] : numbers.filter(condition)
  }
}

extension JSONPointer.Token {
  fileprivate func leads(toMember name: UnsafeBufferPointer<UInt8>) -> Bool {
    switch self {
    case .every: true
    case .member(let text, _): text.utf8.count == name.count && text.utf8.elementsEqual(name)
    }
  }

  fileprivate func leads(toElement index: Int) -> Bool {
    switch self {
    case .every: true
    case .member(_, let wanted): wanted == index
    }
  }
}
