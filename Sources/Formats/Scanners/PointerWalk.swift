// Finding the values that JSON pointers lead to, in one walk over a document.

import Core

/// A walk over a JSON value that stops at every value to which a pointer leads.
///
/// Values that no pointer leads through are skipped. So the walk goes no deeper than the longest pointer, and its time is
/// proportional to the document's size and the number of pointers.
struct PointerWalk {
  private let root: PointerState

  /// Reads or skips the next value, to which the numbered pointers lead.
  typealias Found = (_ json: inout JSONScanner, _ pointers: [Int]) -> Void

  /// The pointers are numbered by their order in the list.
  init(_ pointers: [JSONPointer]) {
    root = PointerState(pointers.map(\.tokens), Array(pointers.indices), depth: 0)
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
    walk(&json, root, &steps, found)
  }

  private func walk(
    _ json: inout JSONScanner, _ state: PointerState, _ steps: inout Int, _ found: Found
  ) {
    steps -= 1
    let first = json.peek()
    guard state.continues, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
      return state.here.isEmpty ? json.skip() : found(&json, state.here)
    }
    func visit(_ next: PointerState?) {
      if steps > 0, let next { walk(&json, next, &steps, found) } else { json.skip() }
    }
    if first == UInt8(ascii: "{") {
      guard json.enter("{") else { return }
      while let name = json.nextMember() { visit(state.next { $0.leads(toMember: name) }) }
    } else {
      guard json.enter("[") else { return }
      var index = 0
      while json.nextValue() {
        visit(state.next { $0.leads(toElement: index) })
        index += 1
      }
    }
  }
}

/// The pointers that lead to one place, and where they lead from there.
///
/// A walk makes each state once, when a document first leads to it, so a walk over many items reuses them.
private final class PointerState {
  /// The pointers that end here.
  let here: [Int]
  /// Whether any pointer continues from here.
  let continues: Bool

  private let pointers: [[JSONPointer.Token]]
  /// The pointers that continue from here.
  private let onward: [Int]
  private let depth: Int
  /// The distinct next tokens except `*`, with the states to which they lead.
  private var named: [(token: JSONPointer.Token, state: PointerState?)] = []
  /// The state to which `*` alone leads; nil if no pointer has one here.
  private lazy var everywhere = state { $0 == .every }

  init(_ pointers: [[JSONPointer.Token]], _ active: [Int], depth: Int) {
    self.pointers = pointers
    self.depth = depth
    here = active.filter { pointers[$0].count == depth }
    onward = active.filter { pointers[$0].count > depth }
    continues = !onward.isEmpty
    for number in onward {
      let token = pointers[number][depth]
      if token != .every, !named.contains(where: { $0.token == token }) { named.append((token, nil)) }
    }
  }

  /// The state at a value of an object or array; nil if no pointer leads to it.
  ///
  /// - Parameter leads: whether a token leads to the value.
  func next(_ leads: (JSONPointer.Token) -> Bool) -> PointerState? {
    guard let place = named.firstIndex(where: { leads($0.token) }) else { return everywhere }
    if let known = named[place].state { return known }
    let token = named[place].token
    let made = state { $0 == .every || $0 == token }
    named[place].state = made
    return made
  }

  private func state(_ isTaken: (JSONPointer.Token) -> Bool) -> PointerState? {
    let taken = onward.filter { isTaken(pointers[$0][depth]) }
    return taken.isEmpty ? nil : PointerState(pointers, taken, depth: depth + 1)
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
