// Finds work whose cost grows with the square of its size.

import CNetworks
import Glibc

/// Compares what a reader costs for a text and for a longer one of the same kind.
///
/// The cost is the number of instructions of this thread, which no other process changes: twice the text may cost at most 2.3
/// times as much. Many containers and virtual machines do not count instructions (perf_event_open(2)). There the cost is
/// processor time, which depends on caches and neighbours: six times the text may cost at most 13 times as much, where a
/// square would cost 36 times. Time that seems too long is measured again, because an interruption only adds to it.
public final class GrowthMeter {
  /// Counts instructions; nil if the machine does not.
  private let counter: Int32?

  public init() {
    let counter = bgfetch_instruction_counter()
    self.counter = counter >= 0 && Self.count(counter) != nil ? counter : nil
    if self.counter == nil, counter >= 0 { close(counter) }
  }

  deinit { if let counter { close(counter) } }

  /// Whether the cost of reading grows with more than the size of the text.
  ///
  /// Some readers have a bound, such as a maximum depth, and look square below it. So the growth must last.
  ///
  /// - Parameters:
  ///   - size: the size of the shortest text; the longest is 64 times as long.
  ///   - text: makes a text of a size; its cost does not count.
  public func isSquare<Text>(from size: Int, text: (_ size: Int) -> Text, read: (Text) -> Void) -> Bool {
    // The first reading fills caches and tables.
    read(text(size))
    guard let counter else {
      // Two measurements of the first one are enough: the second one decides, and costs most.
      return exceeds(13, of: size, times: 6, tries: 2, text, read, Self.time)
        && exceeds(10, of: size * 16, times: 4, tries: 6, text, read, Self.time)
    }
    let count = { Self.count(counter) ?? 0 }
    return [size * 3, size * 32].allSatisfy { exceeds(2.3, of: $0, times: 2, tries: 6, text, read, count) }
  }

  /// Whether a longer text costs more than `most` times as much.
  private func exceeds<Text>(
    _ most: Double, of size: Int, times: Int, tries: Int, _ text: (_ size: Int) -> Text,
    _ read: (Text) -> Void, _ clock: () -> Int
  ) -> Bool {
    func cost(_ text: Text) -> Int {
      let begun = clock()
      read(text)
      return clock() - begun
    }
    let (small, large) = (text(size), text(size * times))
    var least = (small: Int.max, large: Int.max)
    for _ in 0..<tries {
      least = (min(least.small, cost(small)), min(least.large, cost(large)))
      guard Double(least.large) > most * Double(max(least.small, 1)) else { return false }
      // A tenth of a second is not an interruption.
      if least.large > 100_000_000 { break }
    }
    return true
  }

  /// The instructions of this thread so far; nil if they cannot be counted.
  private static func count(_ counter: Int32) -> Int? {
    var count: UInt64 = 0
    return read(counter, &count, 8) == 8 && count > 0 ? Int(count) : nil
  }

  /// The processor time of this thread in nanoseconds.
  private static func time() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}

/// A text of tokens, of which some are repeated until it has a size.
public struct TokenShape: Sendable, CustomStringConvertible {
  /// Tokens that follow one another, once or again and again.
  public struct Part: Sendable {
    let tokens: [String]
    let isRepeated: Bool
  }

  private let parts: [Part]

  public var description: String {
    parts.map { "\($0.tokens)" + ($0.isRepeated ? "…" : "") }.joined(separator: " ")
  }

  /// The bytes of the text; a `§` in a token becomes the number of its repetition.
  ///
  /// The number of repetitions is odd, so that quotes that open and close are not all closed.
  public func text(_ size: Int) -> [UInt8] {
    let room = size / max(1, parts.count(where: \.isRepeated))
    var text: [UInt8] = []
    text.reserveCapacity(size + 1000)
    for part in parts {
      let pieces = part.tokens.map {
        $0.split(separator: "§", omittingEmptySubsequences: false).map { Array($0.utf8) }
      }
      let end = text.count + room
      var count = 0
      repeat {
        for token in pieces {
          for (index, piece) in token.enumerated() {
            if index > 0 { text += String(count).utf8 }
            text += piece
          }
        }
        count += 1
      } while part.isRepeated && (text.count < end || count.isMultiple(of: 2))
    }
    return text
  }

  /// Each token repeated; each pair side by side and one after the other; and some of three or four tokens, the same ones each
  /// time.
  public static func all(of tokens: [String], samples: Int = 12) -> [TokenShape] {
    func repeated(_ tokens: String...) -> Part { Part(tokens: tokens, isRepeated: true) }
    var shapes = tokens.map { TokenShape(parts: [repeated($0)]) }
    for (index, first) in tokens.enumerated() {
      for (place, second) in tokens.enumerated() where place != index {
        shapes.append(TokenShape(parts: [repeated(first), repeated(second)]))
        if index < place { shapes.append(TokenShape(parts: [repeated(first, second)])) }
      }
    }
    var numbers = RandomNumbers(seed: 43)
    for _ in 0..<samples {
      var left = tokens.shuffled(using: &numbers).prefix(Int.random(in: 3...4, using: &numbers))
      var parts: [Part] = []
      while !left.isEmpty {
        let count = Int.random(in: 1...left.count, using: &numbers)
        parts.append(
          Part(
            tokens: Array(left.prefix(count)), isRepeated: left.count == count || Bool.random(using: &numbers)
          ))
        left = left.dropFirst(count)
      }
      shapes.append(TokenShape(parts: parts))
    }
    return shapes
  }
}
