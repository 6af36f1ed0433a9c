// The character references of HTML: names and numbers.

/// The character references of HTML 4, and those of HTML 5 that feeds use.
public enum HTMLEntities {
  /// The length of the longest known reference, including `&` and `;`.
  static let longestReference = 12

  /// Reads the reference at an ampersand: its character and its length in bytes.
  ///
  /// Nil if the ampersand means itself: an unknown name, or no `;` in reach. A number without a character (a surrogate, a
  /// control character, one beyond Unicode) gives no scalar. The numbers 128 to 159 mean windows-1252, as in browsers.
  /// ESC and BEL are returned, because only `cleanText` sees the whole terminal escape sequence that they belong to.
  public static func reference(
    in bytes: UnsafeBufferPointer<UInt8>, at ampersand: Int
  ) -> (scalar: Unicode.Scalar?, length: Int)? {
    let limit = min(bytes.count, ampersand + longestReference)
    var end = ampersand + 1
    while end < limit, bytes[end] != semicolon {
      // Nearly every bare ampersand is followed by a blank, or by a parameter's name and '='.
      let byte = bytes[end]
      guard byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "#") else { return nil }
      end += 1
    }
    guard end < limit, end > ampersand + 1 else { return nil }
    let length = end + 1 - ampersand
    if bytes[ampersand + 1] == UInt8(ascii: "#") {
      guard let code = number(bytes, ampersand + 2, end) else { return nil }
      return (scalar(numbered: code), length)
    }
    let name = packed(UnsafeBufferPointer(rebasing: bytes[(ampersand + 1)..<end]))
    switch name {
    // Escaped HTML is full of these three.
    case lessThan: return ("<", length)
    case greaterThan: return (">", length)
    case andSign: return ("&", length)
    default:
      guard length <= 10, let code = scalars[name] else { return nil }
      return (Unicode.Scalar(code), length)
    }
  }

  private static let lessThan = packed("lt".utf8)
  private static let greaterThan = packed("gt".utf8)
  private static let andSign = packed("amp".utf8)
  private static let semicolon = UInt8(ascii: ";")

  private static func number(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int) -> UInt32? {
    guard start < end else { return nil }
    let isHex = bytes[start] | 0x20 == UInt8(ascii: "x")
    let first = isHex ? start + 1 : start
    guard first < end else { return nil }
    var value: UInt32 = 0
    for byte in bytes[first..<end] {
      guard let digit = byte.hexDigitValue, isHex || digit < 10 else { return nil }
      value = min(value, 0x110000) * (isHex ? 16 : 10) + UInt32(digit)
    }
    return value
  }

  private static func scalar(numbered code: UInt32) -> Unicode.Scalar? {
    switch code {
    case 0x07, 0x09, 0x0A, 0x0D, 0x1B, 0x20...0x7E: Unicode.Scalar(code)
    case 0x80...0x9F: windows1252[Int(code - 0x80)].flatMap(Unicode.Scalar.init)
    case 0xA0...: Unicode.Scalar(code)
    default: nil
    }
  }

  /// The characters of the bytes 0x80 to 0x9F in windows-1252, nil for its five holes.
  public static let windows1252: [UInt16?] = [
    0x20AC, nil, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, nil,
    0x017D, nil, nil, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
    0x0153, nil, 0x017E, 0x0178,
  ]

  /// A name of at most eight bytes as a number.
  private static func packed(_ name: some Collection<UInt8>) -> UInt64 {
    var key: UInt64 = 0
    for byte in name { key = key << 8 | UInt64(byte) }
    return key
  }

  private static let scalars: [UInt64: UInt32] = {
    var scalars: [UInt64: UInt32] = [:]
    for (start, names) in blocks {
      for (offset, name) in names.split(separator: " ").enumerated() where name != "-" {
        scalars[packed(name.utf8)] = start + UInt32(offset)
      }
    }
    return scalars
  }()

  /// Names of consecutive characters, beginning with `start`; `-` is a character without a name.
  private static let blocks: [(start: UInt32, names: String)] = [
    (
      0xA0,
      """
      nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 \
      acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde \
      Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute \
      Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde \
      auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute \
      ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml
      """
    ),
    (
      0x391,
      """
      Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau \
      Upsilon Phi Chi Psi Omega - - - - - - - alpha beta gamma delta epsilon zeta eta theta iota kappa \
      lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega - - - - - - - thetasym upsih \
      - - - piv
      """
    ),
    // ASCII, which HTML 5 gave names.
    (0x09, "Tab NewLine"),
    (0x21, "excl quot num dollar percnt amp apos lpar rpar ast plus comma - period sol"),
    (0x3A, "colon semi lt equals gt quest commat"), (0x5B, "lsqb bsol rsqb Hat lowbar grave"),
    (0x5B, "lbrack"), (0x5D, "rbrack"), (0x7B, "lbrace verbar rbrace"), (0x7B, "lcub vert rcub"),
    // Latin beyond latin-1, as far as languages of feeds need it.
    (0x100, "Amacr amacr Abreve abreve Aogon aogon Cacute cacute Ccirc ccirc Cdot cdot Ccaron ccaron"),
    (0x10E, "Dcaron dcaron Dstrok dstrok Emacr emacr - - Edot edot Eogon eogon Ecaron ecaron"),
    (0x11E, "Gbreve gbreve"), (0x12A, "Imacr imacr"), (0x12E, "Iogon iogon Idot imath"),
    (
      0x139,
      "Lacute lacute Lcedil lcedil Lcaron lcaron - - Lstrok lstrok Nacute nacute Ncedil ncedil Ncaron ncaron"
    ),
    (0x14C, "Omacr omacr - - Odblac odblac OElig oelig Racute racute - - Rcaron rcaron Sacute sacute"),
    (0x15E, "Scedil scedil Scaron scaron Tcedil tcedil Tcaron tcaron"),
    (0x16A, "Umacr umacr - - Uring uring"),
    (0x170, "Udblac udblac Uogon uogon"), (0x178, "Yuml Zacute zacute Zdot zdot Zcaron zcaron"),
    (0x192, "fnof"), (0x2C6, "circ caron"), (0x2DC, "tilde"),
    // Spaces, dashes, quotes and other punctuation.
    (0x2002, "ensp emsp"), (0x2007, "numsp puncsp thinsp hairsp"), (0x200C, "zwnj zwj lrm rlm hyphen"),
    (
      0x2010,
      "dash - - ndash mdash horbar Verbar - lsquo rsquo sbquo - ldquo rdquo bdquo - dagger Dagger bull"
    ),
    (0x2018, "- rsquor lsquor - - rdquor ldquor"), (0x2022, "bullet - - nldr hellip"), (0x2026, "mldr"),
    (0x2030, "permil - prime Prime"), (0x2039, "lsaquo rsaquo - - - oline"), (0x2044, "frasl"),
    (0x20AC, "euro"), (0x2111, "image"), (0x2116, "numero copysr weierp"), (0x211C, "real"),
    (0x2122, "trade"),
    (0x2135, "alefsym"),
    (0x2153, "frac13 frac23 frac15 frac25 frac35 frac45 frac16 frac56 frac18 frac38 frac58"),
    // Arrows, mathematics and signs.
    (0x2190, "larr uarr rarr darr harr varr"), (0x21B5, "crarr"), (0x21D0, "lArr uArr rArr dArr hArr"),
    (
      0x2200,
      "forall - part exist - empty - nabla isin notin - ni - - - prod - sum minus - - - - lowast - - radic"
    ),
    (0x221D, "prop infin - ang"), (0x2227, "and or cap cup int"), (0x2234, "there4"), (0x223C, "sim"),
    (0x2245, "cong"), (0x2248, "asymp"), (0x2260, "ne equiv - - le ge"), (0x2282, "sub sup nsub - sube supe"),
    (0x2295, "oplus - otimes"), (0x22A5, "perp"), (0x22C5, "sdot"), (0x2308, "lceil rceil lfloor rfloor"),
    (0x27E8, "lang rang"), (0x25A1, "square"), (0x25CA, "loz"), (0x2605, "starf star"), (0x260E, "phone"),
    (0x2660, "spades - - clubs - hearts diams"), (0x266D, "flat natural sharp"), (0x2713, "check"),
    (0x2717, "cross"),
  ]
}

/// Bytes of HTML with character references resolved, up to a limit.
public func withoutReferences(_ bytes: UnsafeBufferPointer<UInt8>, limit: Int = .max) -> [UInt8] {
  guard bytes.contains(UInt8(ascii: "&")) else { return Array(bytes.prefix(limit)) }
  var output: [UInt8] = []
  var index = 0
  while index < bytes.count, output.count < limit {
    if bytes[index] == UInt8(ascii: "&"), let found = HTMLEntities.reference(in: bytes, at: index) {
      if let scalar = found.scalar { output += UTF8.encode(scalar) ?? .init() }
      index += found.length
    } else {
      output.append(bytes[index])
      index += 1
    }
  }
  return output
}
