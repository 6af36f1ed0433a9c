// Text for names: of feeds in ASCII, of files without regard to case and in Unicode's form NFC; and letters as a
// search compares them.

// The standard library has the forms NFC and NFD, but no public names for them (Swift 6.3). `_nfc` and `_nfd` are all that is
// used of this import; AssetNameTests and FeedNamingTests check its results.
@_spi(_Unicode) private import Swift

/// A text as lower-case ASCII words and digits with `-`, `_` or `.` between them, or nil if that is impossible.
///
/// Accents are dropped (`é` is `e`), ligatures split (`æ` is `ae`), apostrophes removed; all other characters divide words.
/// Nil for a text without letters or digits and for one with a letter of another script, because half a title is not a
/// name.
///
/// - Parameters:
///   - text: a title, or the host and path of an address.
///   - limit: the maximum length in bytes; the cut is between two words if that leaves at least half of the limit.
/// - Returns: the words, with a letter or digit at both ends.
func latinWords(_ text: String, limit: Int) -> String? {
  var words: [UInt8] = []
  var mark: UInt8?
  // No title is longer, and a longer address does not give a better name.
  for scalar in text._nfd.prefix(1000) {
    switch letters(of: scalar) {
    case .letters(let letters):
      if let mark, !words.isEmpty { words.append(mark) }
      mark = nil
      words += letters
    case .nothing:
      break
    case .mark(let found):
      mark = mark == nil ? found : "-"
    case .foreign:
      return nil
    }
  }
  return words.isEmpty ? nil : cut(words, limit)
}

private func cut(_ words: [UInt8], _ limit: Int) -> String {
  var kept = words.prefix(limit)
  if kept.count < words.count, isLetter(words[limit]), isLetter(words[limit - 1]),
    let end = kept.lastIndex(where: { !isLetter($0) }), end >= limit / 2
  {
    kept = kept[..<end]
  }
  while let last = kept.last, !isLetter(last) { kept.removeLast() }
  return String(decoding: kept, as: UTF8.self)
}

private func isLetter(_ byte: UInt8) -> Bool { !"-_.".utf8.contains(byte) }

private enum Letters {
  case letters([UInt8])
  case nothing
  case mark(UInt8)
  case foreign
}

private func letters(of scalar: Unicode.Scalar) -> Letters {
  switch scalar {
  case "a"..."z", "0"..."9": return .letters([UInt8(scalar.value)])
  case "A"..."Z": return .letters([UInt8(scalar.value) | 0x20])
  case "-", "_", ".": return .mark(UInt8(scalar.value))
  case "'", "’", "ʼ", "`": return .nothing
  default: break
  }
  if let ascii = asciiSpellings[scalar] { return .letters(ascii) }
  switch scalar.properties.generalCategory {
  case .nonspacingMark, .spacingMark, .enclosingMark: return .nothing
  case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
    .letterNumber:
    return .foreign
  default: return .mark("-")
  }
}

/// The Latin letters that are not an ASCII letter with marks.
private let asciiSpellings: [Unicode.Scalar: [UInt8]] = {
  var asciiSpellings: [Unicode.Scalar: [UInt8]] = [:]
  for (ascii, letters) in spellings {
    for letter in letters.unicodeScalars { asciiSpellings[letter] = Array(ascii.utf8) }
  }
  return asciiSpellings
}()

private let spellings: [(String, String)] = [
  ("a", "ª"), ("ae", "Ææ"), ("d", "ĐđÐð"), ("h", "Ħħ"), ("i", "ı"), ("ij", "Ĳĳ"), ("k", "ĸ"), ("l", "ĿŀŁł"),
  ("n", "ŉŊŋ"), ("o", "Øøº"), ("oe", "Œœ"), ("s", "ſ"), ("ss", "ßẞ"), ("t", "Ŧŧ"), ("th", "Þþ"),
]

/// A key for comparing names without case, at least as coarse as FAT, NTFS, APFS and ext4's casefold.
///
/// Upper case is needed because ς and σ, ſ and s differ only in lower case. Lower case comes first because ẞ stays itself in
/// upper case, while ß becomes SS.
public func caseless(_ text: String) -> String { text.lowercased().uppercased().lowercased() }

/// A text in Unicode's form NFC (UAX #15), in which equal-looking file names have equal scalars.
func composed(_ text: String) -> String {
  // Scalars below U+0300 never change, nor do Cyrillic letters on their own.
  if text.utf8.allSatisfy({ $0 < 0xCC || $0 == 0xD0 || $0 == 0xD1 }) { return text }
  return String(String.UnicodeScalarView(text._nfc))
}

/// A character as a search compares it: without case and accents, in ASCII letters if it is made of them; empty for an accent.
///
/// A mark that makes another letter stays: vowels of Indic scripts and Thai, the voice of Japanese kana.
func spelled(_ scalar: Unicode.Scalar) -> String {
  var spelled = ""
  let parts = Array(String(scalar)._nfd)
  // Hangul is divided into its parts, too, and must not be.
  let kept = parts.filter { !$0.isAccent }
  for part in kept.count < parts.count ? kept : [scalar] {
    if let ascii = asciiSpellings[part] {
      spelled += String(decoding: ascii, as: UTF8.self)
    } else {
      spelled += caseless(String(part))
    }
  }
  return spelled
}

extension Unicode.Scalar {
  /// Whether it is a mark above or below a letter, a point of Hebrew, or a vowel of Arabic (UAX #44, Canonical_Combining_Class).
  fileprivate var isAccent: Bool {
    let place = properties.canonicalCombiningClass.rawValue
    return 10...36 ~= place || place >= 200
  }
}
