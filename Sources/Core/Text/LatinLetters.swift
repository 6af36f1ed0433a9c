// Titles to the few letters that names of feeds and tags are made of.

/// A text as words of lower-case ASCII letters and digits with one of `-`, `_` or `.` between them; nil where it cannot be
/// written so.
///
/// Accents go (`é` is `e`), ligatures come apart (`æ` is `ae`), apostrophes vanish, everything else that is no letter
/// divides words. A text with a letter of another script has no such form: half a title is no name. Nor has one without
/// any letter or digit.
///
/// - Parameters:
///   - text: a title, or the host and path of an address.
///   - keepsDots: whether a `.` between two letters or digits stays, or divides words.
///   - limit: the most bytes to give; cut is between two words where that leaves half of them.
/// - Returns: the words, with a letter or digit at both ends.
func latinWords(_ text: String, keepsDots: Bool, limit: Int) -> String? {
  var words: [UInt8] = []
  var mark: UInt8?
  // A title is not longer than this, and an address that is has no better name for it.
  for scalar in text.unicodeScalars.prefix(1000) {
    switch letters(of: scalar) {
    case .letters(let letters):
      if let mark, !words.isEmpty { words.append(mark) }
      mark = nil
      words += letters
    case .nothing:
      break
    case .mark(let found):
      let divides = mark != nil || (found == UInt8(ascii: ".") && !keepsDots)
      mark = divides ? UInt8(ascii: "-") : found
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

private func isLetter(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): false
  default: true
  }
}

/// What a character is in a name.
private enum Letters {
  /// One or more letters or digits.
  case letters([UInt8])
  /// Nothing at all.
  case nothing
  /// Something between words.
  case mark(UInt8)
  /// A letter that cannot be written.
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
  if let ascii = written[scalar] { return .letters(ascii) }
  switch scalar.properties.generalCategory {
  case .nonspacingMark, .spacingMark, .enclosingMark: return .nothing
  case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
    .letterNumber:
    return .foreign
  default: return .mark(UInt8(ascii: "-"))
  }
}

/// The letters of Latin-1 and Latin Extended-A, and the Romanian and Vietnamese ones that are met in titles.
private let written: [Unicode.Scalar: [UInt8]] = {
  var written: [Unicode.Scalar: [UInt8]] = [:]
  for (ascii, letters) in writings {
    for letter in letters.unicodeScalars { written[letter] = Array(ascii.utf8) }
  }
  return written
}()

private let writings: [(String, String)] = [
  ("a", "ÀÁÂÃÄÅàáâãäåĀāĂăĄąǍǎẠạẢảẤấẦầẨẩẪẫẬậẮắẰằẲẳẴẵẶặª"), ("ae", "Ææ"), ("b", "Ḃḃ"), ("c", "ÇçĆćĈĉĊċČč"),
  ("d", "ĎďĐđÐð"), ("e", "ÈÉÊËèéêëĒēĔĕĖėĘęĚěẸẹẺẻẼẽẾếỀềỂểỄễỆệ"), ("g", "ĜĝĞğĠġĢģ"), ("h", "ĤĥĦħ"),
  ("i", "ÌÍÎÏìíîïĨĩĪīĬĭĮįİıǏǐỈỉỊị"), ("ij", "Ĳĳ"), ("j", "Ĵĵ"), ("k", "Ķķĸ"), ("l", "ĹĺĻļĽľĿŀŁł"),
  ("n", "ÑñŃńŅņŇňŉŊŋ"), ("o", "ÒÓÔÕÖØòóôõöøŌōŎŏŐőƠơǑǒỌọỎỏỐốỒồỔổỖỗỘộỚớỜờỞởỠỡỢợº"), ("oe", "Œœ"),
  ("r", "ŔŕŖŗŘř"),
  ("s", "ŚśŜŝŞşŠšȘșſ"), ("ss", "ßẞ"), ("t", "ŢţŤťŦŧȚț"), ("th", "Þþ"),
  ("u", "ÙÚÛÜùúûüŨũŪūŬŭŮůŰűŲųƯưǓǔỤụỦủỨứỪừỬửỮữỰự"), ("w", "ŴŵẀẁẂẃẄẅ"), ("y", "ÝýÿŶŷŸỲỳỴỵỶỷỸỹ"),
  ("z", "ŹźŻżŽž"),
]
