// Where pointers lead in a document, found in one walk over it. What is there is read by others.

import Core

/// A walk over a JSON value that stops at every place to which pointers lead.
///
/// What no pointer leads through is passed over without being looked at, so that the walk goes no deeper than the longest
/// pointer and takes time in proportion to the document and the number of pointers.
struct PointerWalk {
  private let pointers: [JSONPointer]

  /// What is done at a place: the value that comes next is to be read or skipped, the numbers are of the pointers that
  /// lead there.
  typealias Found = (_ json: inout JSONScanner, _ pointers: [Int]) -> Void

  /// A walk for pointers, which are known by their places in the list.
  init(_ pointers: [JSONPointer]) {
    self.pointers = pointers
  }

  /// Goes over the value that comes next.
  ///
  /// A pointer that leads to an object or array through which another one goes on is left out: of the two, only the
  /// longer one can lead to something that can be read.
  ///
  /// - Parameters:
  ///   - json: where the walk begins; afterwards it is behind the value.
  ///   - steps: how many values on the way may be looked at, less those that were; the rest is passed over.
  ///   - found: what is done at each place.
  func go(over json: inout JSONScanner, steps: inout Int, _ found: Found) {
    walk(&json, Array(pointers.indices), depth: 0, &steps, found)
  }

  private func walk(
    _ json: inout JSONScanner, _ active: [Int], depth: Int, _ steps: inout Int, _ found: Found
  ) {
    steps -= 1
    let onward = those(of: active) { pointers[$0].tokens.count > depth }
    guard !onward.isEmpty else {
      found(&json, active)
      return
    }
    switch json.peek() {
    case UInt8(ascii: "{"):
      guard json.enter("{") else { return }
      while let name = json.nextMember() {
        let next = steps > 0 ? those(of: onward) { pointers[$0].tokens[depth].leads(toMember: name) } : []
        if next.isEmpty { json.skip() } else { walk(&json, next, depth: depth + 1, &steps, found) }
      }
    case UInt8(ascii: "["):
      guard json.enter("[") else { return }
      var index = 0
      while json.nextValue() {
        let next = steps > 0 ? those(of: onward) { pointers[$0].tokens[depth].leads(toElement: index) } : []
        if next.isEmpty { json.skip() } else { walk(&json, next, depth: depth + 1, &steps, found) }
        index += 1
      }
    default:
      if onward.count == active.count {
        json.skip()
      } else {
        found(&json, active.filter { pointers[$0].tokens.count == depth })
      }
    }
  }

  /// Those that fulfil a condition; memory is only taken for some of them, as all or none is the rule.
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
