// Text in XML and in the markup of Pango.

/// A text as XML and Pango have it in content and attributes.
///
/// By scalars: as a character, U+0600 and the `<` after it are one, which is no `<`.
func escapedMarkup(_ text: String) -> String {
  var output = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    switch scalar {
    case "&": output += "&amp;".unicodeScalars
    case "<": output += "&lt;".unicodeScalars
    case ">": output += "&gt;".unicodeScalars
    case "'": output += "&#39;".unicodeScalars
    case "\"": output += "&quot;".unicodeScalars
    default: output.append(scalar)
    }
  }
  return String(output)
}
