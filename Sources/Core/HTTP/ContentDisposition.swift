// The file name that a server suggests (RFC 6266).

/// The file name of a `Content-Disposition` field: `filename*` (RFC 8187), else `filename`; without a path; nil where there
/// is none.
func suggestedName(_ field: String?) -> String? {
  guard let field else { return nil }
  let parameters = dispositionParameters(field)
  let candidates = [
    parameters["filename*"].flatMap(extendedValue), parameters["filename"].map(plainValue),
  ]
  return candidates.lazy.compactMap { $0 }.map(withoutPath).first { !$0.allSatisfy { $0 == "." } }
}

/// The parameters of a field by their names in lower case; the first of each counts.
private func dispositionParameters(_ field: String) -> [String: String] {
  var parameters: [String: String] = [:]
  for part in parts(of: field) {
    guard let equals = part.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
    let name = trimmedOfBlanks(part[..<equals]).lowercased()
    let value = unquoted(trimmedOfBlanks(part[part.utf8.index(after: equals)...]))
    if parameters[name] == nil { parameters[name] = value }
  }
  return parameters
}

/// What stands between the semicolons of a field, those in quotes left aside.
private func parts(of field: String) -> [Substring] {
  var parts: [Substring] = []
  var start = field.startIndex
  var isQuoted = false
  var isEscaped = false
  for index in field.utf8.indices {
    let byte = field.utf8[index]
    if isEscaped {
      isEscaped = false
    } else if isQuoted, byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isQuoted.toggle()
    } else if byte == UInt8(ascii: ";"), !isQuoted {
      parts.append(field[start..<index])
      start = field.utf8.index(after: index)
    }
  }
  return parts + [field[start...]]
}

/// A quoted string's text (RFC 9110 section 5.6.4); anything else as it is.
///
/// A backslash escapes only what has to be escaped: browsers of old sent whole paths.
private func unquoted(_ value: String) -> String {
  guard value.hasPrefix("\"") else { return value }
  var text = String.UnicodeScalarView()
  var scalars = value.unicodeScalars.dropFirst()[...]
  while let scalar = scalars.popFirst(), scalar != "\"" {
    if scalar == "\\", let next = scalars.first, next == "\"" || next == "\\" {
      text.append(next)
      scalars.removeFirst()
    } else {
      text.append(scalar)
    }
  }
  return String(text)
}

/// The text of `charset'language'%XX` (RFC 8187 section 3.2); nil for other character sets than UTF-8 and Latin-1.
private func extendedValue(_ value: String) -> String? {
  let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
  guard parts.count == 3 else { return nil }
  let bytes = percentDecodedBytes(parts[2].utf8)
  switch parts[0].lowercased() {
  case "utf-8": return String(validating: bytes, as: UTF8.self)
  case "iso-8859-1": return latin1(bytes)
  default: return nil
  }
}

/// The text of a `filename` as servers write it: percent-encoded, where that gives UTF-8, in Latin-1, or as it should be.
private func plainValue(_ value: String) -> String {
  // A byte that is not UTF-8 comes as a character of the private use area (Transfer's OctetText).
  let isOctets = value.unicodeScalars.contains { (0xEF80...0xEFFF).contains($0.value) }
  if isOctets {
    var text = String.UnicodeScalarView()
    for scalar in value.unicodeScalars {
      let isOctet = (0xEF80...0xEFFF).contains(scalar.value)
      text.append(isOctet ? Unicode.Scalar(UInt8(truncatingIfNeeded: scalar.value)) : scalar)
    }
    return String(text)
  }
  guard value.utf8.contains(UInt8(ascii: "%")) else { return value }
  return String(validating: percentDecodedBytes(value.utf8), as: UTF8.self) ?? value
}

private func latin1(_ bytes: [UInt8]) -> String {
  var text = String.UnicodeScalarView()
  text.append(contentsOf: bytes.map { Unicode.Scalar($0) })
  return String(text)
}

/// The last part of a path of any system (RFC 6266 section 4.3).
private func withoutPath(_ name: String) -> String {
  name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map { trimmedOfBlanks($0) } ?? ""
}
