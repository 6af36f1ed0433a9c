// The width of text on a terminal, and lines wrapped to a width.

/// The width of a text on a terminal, in columns.
///
/// East Asian wide characters (UAX #11) and emoji take two columns, combining characters none. Where terminals disagree,
/// the larger width counts, so that no line wraps.
public func displayWidth(_ text: some StringProtocol) -> Int {
  let bytes = text.utf8
  guard bytes.contains(where: { $0 >= 0x80 }) else { return bytes.count }
  return text.reduce(0) { $0 + displayWidth($1) }
}

private func displayWidth(_ character: Character) -> Int {
  let scalars = character.unicodeScalars
  guard scalars.count > 1 else { return scalars.first.map(columns) ?? 0 }
  return scalars.contains(where: \.makesEmoji) ? 2 : scalars.reduce(0) { $0 + columns($1) }
}

/// The width of a scalar by itself, like wcwidth(3).
private func columns(_ scalar: Unicode.Scalar) -> Int {
  switch scalar.value {
  case 0x20..<0x7F, 0xAD: return 1
  // Hangul vowels and final consonants combine with the consonant before them.
  case 0x1160...0x11FF, 0xD7B0...0xD7FB: return 0
  case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
    0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF,
    0x20000...0x3FFFD:
    // The tone marks of CJK (302A to 302F) and the voicing marks of kana are among them.
    return scalar.properties.generalCategory == .nonspacingMark ? 0 : 2
  default:
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return scalar.properties.isEmojiPresentation ? 2 : 1
    }
  }
}

extension Unicode.Scalar {
  /// Whether it turns the scalars around it into one emoji: a variation selector, a skin tone, half of a flag.
  fileprivate var makesEmoji: Bool {
    switch value {
    case 0xFE0F, 0x1F3FB...0x1F3FF, 0x1F1E6...0x1F1FF: true
    default: properties.isEmojiPresentation
    }
  }

  /// Whether lines may be broken beside it: Chinese and Japanese have no blanks between words.
  fileprivate var isBesideBreaks: Bool {
    switch value {
    case 0x2E80...0x303E, 0x3041...0xA4CF, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
      0x20000...0x3FFFD:
      true
    default: false
    }
  }

  /// Whether lines are also broken beside it if a word is too wide: Korean has blanks, and where the words of Thai, Lao, Burmese and
  /// Khmer end only a dictionary knows (UAX #14, class SA).
  fileprivate var isBesideLateBreaks: Bool { 0xE00..<0x2000 ~= value || value >= 0x2E80 }
}

/// The characters that do not begin a line, and the ones that do not end it (JIS X 4051, reduced to the frequent ones; vowels of
/// Thai and Lao, and the signs that join consonants of Burmese and Khmer).
private let endings = Set(
  "、。，．・：；？！ー）」』】〕〉》〗〙”’…‥々〻ゝゞヽヾ゛゜ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ｝］〜％%)]},.:;?!\u{2060}ฯะาำๅๆຯະາຳໆ".unicodeScalars)
private let beginnings = Set("（「『【〔〈《〖〘“‘｛［([{เแโใไເແໂໃໄ\u{1039}\u{17D2}".unicodeScalars)

/// The lines of a text wrapped at blanks, and beside Chinese and Japanese characters; a word wider than a line is not broken.
///
/// - Parameter columns: the width of a line; nil wraps nothing.
public func wrapped(_ text: String, _ columns: Int?) -> [String] {
  guard let columns, displayWidth(text) > columns else { return [text] }
  var lines: [String] = []
  var line = ""
  var width = 0
  // Two blanks, between the columns of a message, stay two.
  for word in text.split(separator: " ", omittingEmptySubsequences: false)
  where !(word.isEmpty && line.isEmpty) {
    var blank = line.isEmpty ? 0 : 1
    for piece in unbrokenPieces(of: word, columns) {
      let pieceWidth = displayWidth(piece)
      if !line.isEmpty, width + blank + pieceWidth > columns {
        lines.append(withoutTrailingBlanks(line))
        line = ""
        width = 0
        blank = 0
      }
      line += (blank > 0 ? " " : "") + piece
      width += blank + pieceWidth
      blank = 0
    }
  }
  return lines + [line]
}

/// The width of the widest part of a text that `wrapped` does not break.
func widestPiece(of text: String) -> Int {
  text.split { $0 == " " || $0 == "\n" }.flatMap { unbrokenPieces(of: $0, .max) }.map { displayWidth($0) }
    .max() ?? 0
}

/// The parts of a word between which a line may end.
private func unbrokenPieces(of word: Substring, _ columns: Int) -> [Substring] {
  guard word.utf8.contains(where: { $0 >= 0xE0 }) else { return [word] }
  let breaksLate = word.utf8.count > columns && displayWidth(word) > columns
  var pieces: [Substring] = []
  var start = word.startIndex
  var previous: Unicode.Scalar?
  for index in word.indices {
    let scalars = word[index].unicodeScalars
    guard let first = scalars.first, let last = scalars.last else { continue }
    if let previous, !endings.contains(first), !beginnings.contains(previous),
      first.isBesideBreaks || previous.isBesideBreaks
        || breaksLate && (first.isBesideLateBreaks || previous.isBesideLateBreaks)
    {
      pieces.append(word[start..<index])
      start = index
    }
    previous = last
  }
  return pieces + [word[start...]]
}

/// A line without the blanks at its end.
public func withoutTrailingBlanks(_ line: String) -> String {
  let end = line.utf8.lastIndex { $0 != " " }
  return end.map { String(Substring(line.utf8[...$0])) } ?? ""
}
