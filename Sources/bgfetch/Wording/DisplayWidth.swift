// How wide text is on a terminal.

/// How many columns of a terminal a text takes.
///
/// Two for East Asian wide characters (UAX #11) and for emoji, however many scalars those are made of; none for what is
/// drawn over the character before it. Where terminals disagree it is the larger number, so that no line wraps.
func displayWidth(_ text: String) -> Int {
  let bytes = text.utf8
  guard bytes.contains(where: { $0 >= 0x80 }) else { return bytes.count }
  return text.reduce(0) { $0 + displayWidth($1) }
}

/// How many columns a character takes.
private func displayWidth(_ character: Character) -> Int {
  let scalars = character.unicodeScalars
  guard scalars.count > 1 else { return scalars.first.map(columns) ?? 0 }
  return scalars.contains(where: \.makesEmoji) ? 2 : scalars.reduce(0) { $0 + columns($1) }
}

/// How many columns a scalar takes by itself, as wcwidth(3) has it.
private func columns(_ scalar: Unicode.Scalar) -> Int {
  switch scalar.value {
  case 0x20..<0x7F, 0xAD: return 1
  // Vowels and final consonants of Hangul stand in the block of the consonant before them.
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
  /// Whether it makes one picture of the scalars around it: a joiner, the selector of emoji, a skin colour, half a flag.
  fileprivate var makesEmoji: Bool {
    switch value {
    case 0xFE0F, 0x1F3FB...0x1F3FF, 0x1F1E6...0x1F1FF: true
    default: properties.isEmojiPresentation
    }
  }
}
