// The words of a text for searching, by one rule for what is searched and for what is typed.

/// Divides texts into words as a search compares them: without case, accents and variants of form.
///
/// A word is a run of letters and digits. In scripts that put no blanks between words (Chinese, Japanese, Thai and so on)
/// each character is a word, so that a search for some of them in a row finds any part of a text. An emoji is a word, too.
/// So is a symbol such as `+`, `#` or `@` that touches a word, and a point before one: `c++`, `C#` and `.NET` are not `c`
/// and `net`.
///
/// It remembers the forms of characters, so one value for many texts is faster.
public struct SearchWords {
  /// The forms of characters, by their bytes.
  private var forms: [UInt32: WordPart] = [:]

  /// ASCII characters of words that are neither letters nor digits.
  public static let symbols = "+#@&%$._"

  public init() {}

  /// The words of a text, with a blank between two of them.
  ///
  /// - Parameter limit: the number of bytes after which no further word is begun.
  public mutating func line(of text: String, limit: Int = .max) -> String {
    var line = Line(limit: limit)
    var text = text
    text.withUTF8 { read($0, isPlain: false, into: &line) }
    return String(decoding: line.bytes, as: UTF8.self)
  }

  /// - Parameter isPlain: whether the characters outside ASCII are in their plain form.
  private mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, isPlain: Bool, into line: inout Line) {
    var index = 0
    while index < bytes.count, !line.isFull {
      let start = index
      while index < bytes.count, bytes[index].isASCIILetterOrDigit { index += 1 }
      if index > start {
        line.append(run: bytes[start..<index])
      } else if bytes[index] < 0x80 {
        line.append(mark: bytes[index])
        index += 1
      } else if isPlain {
        // The first byte of a character has as many leading ones as the character has bytes.
        index += max(1, (~bytes[index]).leadingZeroBitCount)
        line.append(form(of: bytes.slice(start..<index)))
      } else {
        while index < bytes.count, bytes[index] >= 0x80 { index += 1 }
        var plain = composed(withoutVariants(String(decoding: bytes[start..<index], as: UTF8.self)))
        plain.withUTF8 { read($0, isPlain: true, into: &line) }
      }
    }
  }

  /// The part of words that a character outside ASCII is.
  private mutating func form(of bytes: UnsafeBufferPointer<UInt8>) -> WordPart {
    let key = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    if let form = forms[key] { return form }
    let form = String(decoding: bytes, as: UTF8.self).unicodeScalars.first.map(Self.form) ?? .gap
    forms[key] = form
    return form
  }

  private static func form(of scalar: Unicode.Scalar) -> WordPart {
    let properties = scalar.properties
    // Tatweel only lengthens a word. Soft hyphens and joiners are among the ignorable ones.
    if properties.isDefaultIgnorableCodePoint || scalar == "\u{640}" { return .nothing }
    if let value = properties.numericValue, properties.numericType != .numeric {
      return .letter(["0" + UInt8(value)])
    }
    let bytes = Array(spelled(scalar).utf8)
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: return bytes.isEmpty ? .nothing : .mark(bytes)
    case .currencySymbol: return .symbol(bytes)
    case _ where properties.isAlphabetic, .letterNumber, .otherNumber:
      return hasNoBlanks(scalar) ? .single(bytes) : .letter(bytes)
    default: return properties.isEmojiPresentation ? .single(bytes) : .gap
    }
  }

  /// Whether a letter is of a script that puts no blanks between words, or, as Korean, between their parts.
  private static func hasNoBlanks(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // Thai, Lao, Burmese, Khmer and scripts of Tai.
    case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x1950...0x19DF, 0x1A20...0x1AAF: true
    case 0xA9E0...0xA9FF, 0xAA60...0xAADF: true
    // Han, kana, Bopomofo, Yi and Hangul.
    case 0x2E80...0x2FDF, 0x3005...0x318F, 0x31A0...0x31FF, 0x3400...0xA4CF, 0xF900...0xFAFF: true
    case 0x20000...0x3FFFF, 0x1100...0x11FF, 0xA960...0xA97F, 0xAC00...0xD7FF: true
    default: false
    }
  }
}

/// The part of words that a character is.
private enum WordPart {
  /// A letter or a digit.
  case letter([UInt8])
  /// A part of the word before it, in a script without blanks, too.
  case mark([UInt8])
  /// A word of its own.
  case single([UInt8])
  /// A word of its own if it touches another one.
  case symbol([UInt8])
  /// Invisible.
  case nothing
  case gap
}

/// The words written so far.
private struct Line {
  private(set) var bytes: [UInt8] = []
  private let limit: Int
  private var state = State.gap
  /// The index at which the word begins.
  private var start = 0
  /// The symbols before the next word, which count only if they touch it.
  private var pending: [[UInt8]] = []
  /// Whether a point came last.
  private var isAfterPoint = false

  private enum State { case gap, letter, single, symbol }

  /// The maximum length of a word in bytes; the rest of a longer one is dropped.
  private static let longest = 128

  init(limit: Int) { self.limit = limit }

  private var isInWord: Bool { state != .gap }

  /// Whether no further word fits.
  var isFull: Bool { bytes.count >= limit && (!isInWord || state == .single) }

  /// Appends letters and digits of ASCII.
  mutating func append(run: Slice<UnsafeBufferPointer<UInt8>>) {
    append(letters: run.lazy.map(asciiLowercased))
  }

  /// Appends another character of ASCII.
  mutating func append(mark: UInt8) {
    switch mark {
    case "#"..."&", "+", ".", "@": append(symbol: [mark])
    default: endWord()
    }
  }

  mutating func append(_ part: WordPart) {
    switch part {
    case .letter(let letters): append(letters: letters)
    case .mark(let mark) where pending.isEmpty && isInWord && state != .symbol: extend(mark)
    case .mark(let word), .single(let word): begin(word, .single)
    case .symbol(let symbol): append(symbol: symbol)
    case .nothing: break
    case .gap: endWord()
    }
  }

  private mutating func append(letters: some Collection<UInt8>) {
    if pending.isEmpty, state == .letter { extend(letters) } else { begin(letters, .letter) }
  }

  private mutating func extend(_ letters: some Collection<UInt8>) {
    bytes += letters.prefix(max(0, start + Self.longest - bytes.count))
  }

  /// Begins a word, after the symbols that touch it.
  private mutating func begin(_ word: some Collection<UInt8>, _ new: State) {
    if !pending.isEmpty {
      for symbol in pending { add(symbol) }
      pending.removeAll()
    }
    add(word)
    isAfterPoint = false
    state = new
  }

  private mutating func add(_ word: some Collection<UInt8>) {
    if !bytes.isEmpty { bytes.append(" ") }
    start = bytes.count
    bytes += word.prefix(Self.longest)
  }

  private mutating func append(symbol: [UInt8]) {
    switch symbol {
    case ["."]:
      // Points in a row are none of a name.
      if isAfterPoint { endWord() } else { pending.append(symbol) }
      isAfterPoint = true
    case _ where isInWord && pending.isEmpty:
      add(symbol)
      state = .symbol
    default:
      // Another word than the same symbol at the end of a word, so that `C#` is not found in `C #tag`.
      pending.append(symbol + ["_"])
    }
  }

  private mutating func endWord() {
    state = .gap
    if !pending.isEmpty { pending.removeAll() }
    isAfterPoint = false
  }
}

/// A text without variants of the form of characters: full and half width, letters for mathematics.
private func withoutVariants(_ text: String) -> String {
  // Their encodings begin with these bytes.
  guard text.utf8.contains(where: { $0 == 0xEF || $0 == 0xF0 }) else { return text }
  var scalars = String.UnicodeScalarView()
  for scalar in text.unicodeScalars { scalars.append(plainForm(of: scalar)) }
  return String(scalars)
}

private func plainForm(of scalar: Unicode.Scalar) -> Unicode.Scalar {
  let value = scalar.value
  switch value {
  case 0xFF01...0xFF5E: return Unicode.Scalar(value - 0xFEE0) ?? scalar
  case 0xFF66...0xFF9F: return halfWidth[Int(value - 0xFF66)]
  case 0x1D400...0x1D6A3: return Unicode.Scalar(0x61 + (value - 0x1D400) % 26) ?? scalar
  default: return scalar
  }
}

/// The usual forms of half-width katakana, from U+FF66; its marks of voice join the letter before them.
private let halfWidth = Array(
  "ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン\u{3099}\u{309A}".unicodeScalars)
