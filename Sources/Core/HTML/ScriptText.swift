// Superscripts and subscripts in a text without markup: 10⁶ and CO₂, never 106.

/// A superscript or subscript as text.
///
/// Characters of Unicode stand for it if there are all of them, else a `^` or `_` before it.
///
/// - Parameters:
///   - text: the text on one line.
///   - isRaised: whether it is a superscript.
///   - previous: the text before it, or its last character.
/// - Returns: what belongs after the text before.
public func scriptText(_ text: String, isRaised: Bool, after previous: some StringProtocol) -> String {
  let script = text.drop { $0 == " " }
  guard !script.isEmpty else { return text }
  let isApart =
    script.startIndex != text.startIndex || previous.unicodeScalars.last?.properties.isWhitespace ?? true
  // A note such as [1], and a mark that is high by itself.
  let isMark = script.unicodeScalars.allSatisfy { "[]*†‡§¶°ªº®©™℠¹²³⁰".unicodeScalars.contains($0) }
  if script.hasPrefix("[") || isMark { return text }
  if isRaised, script == "TM" { return "™" }
  if isRaised, script == "SM" { return "℠" }
  if isApart, !script.allSatisfy(\.isNumber) { return text }
  let characters = isRaised ? raisedCharacters : loweredCharacters
  let found = script.unicodeScalars.map { characters[$0] }
  if found.count <= 12, !found.contains(nil) {
    return (isApart && script.startIndex != text.startIndex ? " " : "")
      + String(String.UnicodeScalarView(found.compactMap { $0 }))
  }
  // A phrase is no exponent.
  if found.count > 12 { return isApart ? text : " " + text }
  let isWord = script.unicodeScalars.allSatisfy {
    $0.properties.isAlphabetic || $0.properties.numericType != nil
  }
  return (isRaised ? "^" : "_") + (isWord || found.count == 1 ? String(script) : "(\(script))")
}

private let raisedCharacters = pairs(
  "0123456789+-−=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWαβγδεθιφχ",
  "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵅᵝᵞᵟᵋᶿᶥᵠᵡ")
private let loweredCharacters = pairs(
  "0123456789+-−=()aehijklmnoprstuvxβγρφχ", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ")

private func pairs(_ plain: String, _ small: String) -> [Unicode.Scalar: Unicode.Scalar] {
  Dictionary(zip(plain.unicodeScalars, small.unicodeScalars)) { first, _ in first }
}
