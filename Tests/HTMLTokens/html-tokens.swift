// Compares the tokens of HTMLTokenizer with the public tests of html5lib; scripts/html-tokens builds and runs it.
//
// The tests are not in the repository: https://github.com/html5lib/html5lib-tests, folder tokenizer.

import Core
import Glibc

@main
enum TokenComparison {
  static func main() {
    let names = CommandLine.arguments.dropFirst()
    var (passed, failed) = (0, 0)
    var different: [String: Int] = [:]
    for name in names {
      var parser = TestReader(bytes(of: name))
      let document = parser.value()
      if document["xmlViolationTests"] != nil {
        // They ask for what XML may contain.
        different["tokens for XML, which no reader of bgfetch makes", default: 0] +=
          document["xmlViolationTests"]?.array.count ?? 0
        continue
      }
      var counts = (passed: 0, failed: 0)
      for test in document["tests"]?.array ?? [] {
        for state in test["initialStates"]?.array.map(\.text) ?? ["Data state"] {
          if let reason = Case(test, state).differsBecause {
            different[reason, default: 0] += 1
            continue
          }
          let item = Case(test, state)
          let found = item.tokens()
          if found == item.expected {
            counts.passed += 1
          } else {
            counts.failed += 1
            print("\(name): \(item.title) (\(state))\n  input    \(item.input.debugDescription)")
            print("  expected \(item.expected)\n  found    \(found)")
          }
        }
      }
      print("\(counts.passed) passed, \(counts.failed) failed: \(name)")
      passed += counts.passed
      failed += counts.failed
    }
    for (reason, count) in different.sorted(by: { $0.key < $1.key }) {
      print("\(count) not compared: \(reason)")
    }
    print("\(passed) passed, \(failed) failed, \(different.values.reduce(0, +)) not compared")
    // 98 of 100, and something was read.
    exit(passed > 0 && failed * 50 <= passed ? 0 : 1)
  }
}

private func bytes(of name: String) -> [UInt8] {
  guard let file = fopen(name, "r") else {
    perror(name)
    exit(2)
  }
  var (all, part) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
  while case let count = fread(&part, 1, part.count, file), count > 0 { all += part[..<count] }
  fclose(file)
  return all
}

/// A test in one of its initial states.
private struct Case {
  let title: String
  let input: String
  let expected: [String]
  private let state: String
  private let lastStartTag: String?
  private let isRepresentable: Bool

  init(_ test: TestValue, _ state: String) {
    let isEscaped = test["doubleEscaped"] == .bool(true)
    func text(_ value: TestValue?) -> [UInt16] {
      isEscaped ? unescaped(value?.units ?? []) : value?.units ?? []
    }
    let units = text(test["input"])
    title = test["description"]?.text ?? ""
    input = String(decoding: units, as: UTF16.self)
    isRepresentable = Array(input.utf16) == units
    expected = joined(
      (test["output"]?.array ?? []).map { $0.token { String(decoding: text($0), as: UTF16.self) } })
    self.state = state
    lastStartTag = test["lastStartTag"]?.text
  }

  /// Why the reader differs on purpose.
  var differsBecause: String? {
    isRepresentable ? nil : "half of a pair of UTF-16, which UTF-8 cannot have"
  }

  func tokens() -> [String] {
    var input = input
    return input.withUTF8 { bytes in
      var tokenizer = HTMLTokenizer(bytes, attributes: .ofAllTags)
      let name = nameHash((lastStartTag ?? "").utf8)
      // The tests set the state, as a tree does.
      tokenizer.hasRawContent = false
      tokenizer.place =
        switch state {
        case "RCDATA state": .content(.escapable, of: name)
        case "RAWTEXT state": .content(.raw, of: name)
        case "Script data state": .script(of: name)
        case "PLAINTEXT state": .plaintext
        case "CDATA section state": .section
        default: .data
        }
      var found: [[String]] = []
      while let token = tokenizer.next() { found.append(written(token, tokenizer)) }
      return joined(found)
    }
  }

  private func written(_ token: HTMLTokenizer.Token, _ tokenizer: HTMLTokenizer) -> [String] {
    func text(_ range: Range<Int>, _ kind: HTMLTokenizer.TextKind) -> String {
      var bytes: [UInt8] = []
      tokenizer.append(range, kind, to: &bytes)
      return String(decoding: bytes, as: UTF8.self)
    }
    switch token {
    case .text(let range, let kind): return ["Character", text(range, kind)]
    case .end(let tag): return ["EndTag", tokenizer.name(tag.nameRange)]
    case .comment(let range): return ["Comment", text(range, .raw)]
    case .doctype(let range):
      return Doctype(text(range, .raw), isClosed: range.upperBound < tokenizer.source.count).token
    case .start(let tag):
      let attributes = tokenizer.attributes[tag.attributes].map { attribute in
        tokenizer.name(attribute.nameRange) + "="
          + String(decoding: tokenizer.value(of: attribute), as: UTF8.self)
      }
      return ["StartTag", tokenizer.name(tag.nameRange)] + attributes.sorted()
        + (tag.isSelfClosing ? ["/"] : [])
    }
  }
}

/// Texts that follow one another are one.
private func joined(_ tokens: [[String]]) -> [String] {
  var all: [[String]] = []
  for token in tokens {
    if token[0] == "Character", let last = all.last, last[0] == "Character" {
      all[all.count - 1] = ["Character", last[1] + token[1]]
    } else {
      all.append(token)
    }
  }
  return all.map { $0.debugDescription }
}

/// The parts of a document type (HTML standard, section 13.2.5.53), which no reader of bgfetch needs.
private struct Doctype {
  private var rest: Substring.UnicodeScalarView
  private var name: String?
  private var identifiers: [String?] = [nil, nil]
  private var isCorrect: Bool

  var token: [String] {
    ["DOCTYPE", name ?? "null", identifiers[0] ?? "null", identifiers[1] ?? "null", String(isCorrect)]
  }

  init(_ text: String, isClosed: Bool) {
    rest = Substring(text).unicodeScalars
    isCorrect = isClosed
    skipBlanks()
    guard !rest.isEmpty else {
      isCorrect = false
      return
    }
    let word = rest.prefix { !Self.isBlank($0) }
    name = String(
      String.UnicodeScalarView(
        word.map { $0.value < 128 ? $0.properties.lowercaseMapping.unicodeScalars.first ?? $0 : $0 }))
    rest = rest[word.endIndex...]
    skipBlanks()
    guard !rest.isEmpty else { return }
    let keyword = String(String.UnicodeScalarView(rest.prefix(6))).lowercased()
    guard keyword == "public" || keyword == "system" else {
      isCorrect = false
      return
    }
    rest = rest.dropFirst(6)
    skipBlanks()
    if keyword == "public" {
      guard readIdentifier(0), !rest.isEmpty else { return }
      skipBlanks()
      if rest.isEmpty { return }
    }
    guard readIdentifier(1) else { return }
    skipBlanks()
    // Anything after the identifiers is an error without a consequence; the end of the page is not looked at any more.
    if !rest.isEmpty { isCorrect = true }
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    "\t\n\u{C} ".unicodeScalars.contains(scalar)
  }

  private mutating func skipBlanks() { rest = rest.drop(while: Self.isBlank) }

  /// Reads a quoted identifier; false if that is the end.
  private mutating func readIdentifier(_ number: Int) -> Bool {
    guard let quote = rest.first, quote == "\"" || quote == "'" else {
      isCorrect = false
      return false
    }
    rest = rest.dropFirst()
    let text = rest.prefix { $0 != quote }
    identifiers[number] = String(String.UnicodeScalarView(text))
    rest = rest[text.endIndex...]
    guard !rest.isEmpty else {
      isCorrect = false
      return false
    }
    rest = rest.dropFirst()
    return true
  }
}

// MARK: JSON

private indirect enum TestValue: Equatable {
  case null
  case bool(Bool)
  case number
  /// In UTF-16, as tests have halves of pairs.
  case text([UInt16])
  case list([TestValue])
  case members([String: TestValue])

  subscript(name: String) -> TestValue? {
    if case .members(let members) = self { members[name] } else { nil }
  }

  var array: [TestValue] { if case .list(let list) = self { list } else { [] } }
  var units: [UInt16] { if case .text(let units) = self { units } else { [] } }
  var text: String { String(decoding: units, as: UTF16.self) }

  /// A token as its words.
  func token(_ text: (TestValue) -> String) -> [String] {
    let words = array
    switch words[0].text {
    case "DOCTYPE":
      return ["DOCTYPE"] + words[1...3].map { $0 == .null ? "null" : text($0) } + [
        words[4] == .bool(true) ? "true" : "false"
      ]
    case "StartTag":
      var attributes: [String] = []
      if case .members(let members) = words[2] { attributes = members.map { $0.key + "=" + text($0.value) } }
      return ["StartTag", text(words[1])] + attributes.sorted() + (words.count > 3 ? ["/"] : [])
    default: return [words[0].text, text(words[1])]
    }
  }
}

/// Characters for which a test has `\uXXXX` in its text.
private func unescaped(_ units: [UInt16]) -> [UInt16] {
  var (output, index) = ([UInt16](), 0)
  while index < units.count {
    if units[index] == 0x5C, index + 5 < units.count, units[index + 1] == 0x75,
      let code = UInt16(String(decoding: units[(index + 2)...(index + 5)], as: UTF16.self), radix: 16)
    {
      output.append(code)
      index += 6
    } else {
      output.append(units[index])
      index += 1
    }
  }
  return output
}

/// Reads JSON that is known to be right.
private struct TestReader {
  private let bytes: [UInt8]
  private var index = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func value() -> TestValue {
    switch next() {
    case UInt8(ascii: "{"):
      var members: [String: TestValue] = [:]
      index += 1
      while next() != UInt8(ascii: "}") {
        let name = value().text
        _ = next()
        index += 1
        members[name] = value()
        if next() == UInt8(ascii: ",") { index += 1 }
      }
      index += 1
      return .members(members)
    case UInt8(ascii: "["):
      var list: [TestValue] = []
      index += 1
      while next() != UInt8(ascii: "]") {
        list.append(value())
        if next() == UInt8(ascii: ",") { index += 1 }
      }
      index += 1
      return .list(list)
    case UInt8(ascii: "\""): return .text(string())
    default:
      let word = bytes[index...].prefix { $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) }
      index = word.endIndex
      switch String(decoding: word, as: UTF8.self) {
      case "true": return .bool(true)
      case "false": return .bool(false)
      case "null": return .null
      default: return .number
      }
    }
  }

  private mutating func next() -> UInt8 {
    while bytes[index] <= 0x20 { index += 1 }
    return bytes[index]
  }

  private mutating func string() -> [UInt16] {
    var units: [UInt16] = []
    var plain: [UInt8] = []
    index += 1
    while bytes[index] != UInt8(ascii: "\"") {
      guard bytes[index] == UInt8(ascii: "\\") else {
        plain.append(bytes[index])
        index += 1
        continue
      }
      units += String(decoding: plain, as: UTF8.self).utf16
      plain = []
      let letter = bytes[index + 1]
      index += 2
      switch letter {
      case UInt8(ascii: "u"):
        units.append(UInt16(String(decoding: bytes[index..<(index + 4)], as: UTF8.self), radix: 16) ?? 0)
        index += 4
      case UInt8(ascii: "n"): units.append(0x0A)
      case UInt8(ascii: "t"): units.append(0x09)
      case UInt8(ascii: "r"): units.append(0x0D)
      case UInt8(ascii: "f"): units.append(0x0C)
      case UInt8(ascii: "b"): units.append(0x08)
      default: units.append(UInt16(letter))
      }
    }
    units += String(decoding: plain, as: UTF8.self).utf16
    index += 1
    return units
  }
}
