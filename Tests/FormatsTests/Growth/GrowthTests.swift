// Time grows with what a server sends, never with its square: every pure reader of foreign bytes, with repetitions of the words
// of its language.

import Glibc
import TestKit
import Testing

@testable import Core
@testable import Formats

@Suite struct GrowthTests {
  @Test(arguments: ForeignReader.all)
  func `time grows with the size of a text, whatever it repeats`(reader: ForeignReader) {
    let meter = GrowthMeter()

    let square = TokenShape.all(of: reader.tokens).first {
      meter.isSquare(from: ForeignReader.size, text: $0.text, read: reader.read)
    }

    #expect(square == nil)
  }

  /// The fault that all the others are: at each mark, a look ahead for its end.
  @Test func `a reader that looks ahead to the end of the text at each mark is found`() {
    func lookAhead(_ text: [UInt8]) -> Int {
      var found = 0
      for index in text.indices where text[index] == UInt8(ascii: "<") {
        if text[index...].contains(UInt8(ascii: ">")) { found += 1 }
      }
      return found
    }
    let meter = GrowthMeter()
    func squares(_ read: ([UInt8]) -> Int) -> [TokenShape] {
      TokenShape.all(of: ["<", "a"], samples: 0).filter { shape in
        meter.isSquare(from: 100, text: shape.text) { #expect(read($0) >= 0) }
      }
    }

    #expect(squares(lookAhead).count == 4)
    #expect(squares { $0.count { $0 == UInt8(ascii: "<") } }.isEmpty)
  }

  @Test func `growth that ends at a bound is no square`() {
    let isSquare = GrowthMeter().isSquare(from: 250) {
      Array(repeating: UInt8(0), count: $0)
    } read: { text in
      let bounded = text.prefix(2000)
      #expect(bounded.indices.reduce(0) { $0 + bounded[..<$1].count { $0 == 0 } } > 0)
    }

    #expect(!isSquare)
  }
}
