// Text of strangers as one part of a path that every common file system takes.

/// A part of a file's path that is harmless on any common file system: at most 255 bytes of UTF-8 in form NFC.
///
/// Gone are control and format characters, what cannot be in a name on FAT, NTFS and SMB (`<>:"|?*\` and `/`), dots, dashes
/// and blanks at the beginning, dots and blanks at the end, and the names of devices of Windows. It is never empty, never
/// `.` or `..`, and never begins with a dot.
///
/// - Parameters:
///   - stem: what it is called.
///   - suffix: the extension with its dot, already clean, which stays whole; may be empty.
///   - limit: the most bytes for both.
/// - Returns: the stem and the suffix.
func cleanName(_ stem: String, suffix: String = "", limit: Int = longestName) -> (
  stem: String, suffix: String
) {
  var name = replacingForbidden(composed(cleanText(stem, limit: 8192)))
  // Where something was taken out, what stood beside it may belong together now.
  name = trimmedName(composed(name))
  name = shortened(name, limit: limit - suffix.utf8.count)
  if name.isEmpty { name = "untitled" }
  if isDevice(name) { name = "_" + shortened(name, limit: limit - suffix.utf8.count - 1) }
  return (name, suffix)
}

/// The most bytes of a name: NAME_MAX of Linux (limits.h(0p)); FAT and NTFS count 255 UTF-16 units, which are never more.
let longestName = 255

/// A name cut at a character as people see it, without the dots and blanks that the cut may leave at its end.
func shortened(_ name: String, limit: Int) -> String {
  name.utf8.count <= limit ? name : trimmedName(graphemePrefix(of: name, limit: max(0, limit)))
}

/// A suffix of letters, digits and dots as it is; anything else is none.
func cleanSuffix(_ suffix: String) -> String {
  let isHarmless = suffix.utf8.allSatisfy { byte in
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: ".")
  }
  return isHarmless && suffix.utf8.count <= 20 && suffix != "." ? suffix : ""
}

/// What cannot be in a name replaced by what can, and invisible characters left out.
private func replacingForbidden(_ text: String) -> String {
  var name = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    switch scalar {
    case "/", "\\", "|", ":": name.append("-")
    case "\"": name.append("'")
    case "<", ">", "*": name.append("_")
    case "?": break
    // One blank is enough where something between two went.
    case " " where name.last == " ": break
    case _ where isInvisible(scalar): break
    default: name.append(scalar)
    }
  }
  return String(name)
}

/// Whether a scalar is nothing that a name can show: format characters but for the joiners, which scripts and emoji need,
/// noncharacters, and what `cleanText` leaves of line ends.
private func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
  // Most are of these, and looking up what a scalar is takes its time.
  if (0x20..<0x7F).contains(scalar.value) { return false }
  switch scalar.properties.generalCategory {
  case .control, .lineSeparator, .paragraphSeparator, .surrogate: return true
  case .format: return scalar.value != 0x200C && scalar.value != 0x200D
  case .unassigned: return scalar.properties.isNoncharacterCodePoint
  default:
    // Fillers of Hangul and Braille look like blanks and are none.
    return [0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800, 0x034F].contains(scalar.value)
  }
}

/// A name without dots, dashes, tildes and blanks at its beginning and dots and blanks at its end; joiners count as blanks,
/// and so do selectors of variants that have nothing to select from.
private func trimmedName(_ name: String) -> String {
  func isJoiner(_ scalar: Unicode.Scalar) -> Bool { scalar.value == 0x200C || scalar.value == 0x200D }
  var scalars = name.unicodeScalars[...]
  while let first = scalars.first,
    first == "." || first == "-" || first == "~" || first == " " || isJoiner(first)
      || first.properties.isVariationSelector
  {
    scalars.removeFirst()
  }
  while let last = scalars.last, last == "." || last == " " || isJoiner(last) { scalars.removeLast() }
  return String(Substring(scalars))
}

/// Whether Windows takes a name for a device, whatever its extension is.
private func isDevice(_ name: String) -> Bool {
  let stem = trimmedOfBlanks(Substring(name.utf8.prefix { $0 != UInt8(ascii: ".") }))
  // The longest has seven letters, and what becomes one of them as a capital letter has three bytes at most.
  guard stem.utf8.count <= 21 else { return false }
  let base = stem.uppercased()
  if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"].contains(base) { return true }
  let scalars = base.unicodeScalars
  guard scalars.count == 4, base.hasPrefix("COM") || base.hasPrefix("LPT"), let last = scalars.last else {
    return false
  }
  return "0123456789¹²³".unicodeScalars.contains(last)
}
