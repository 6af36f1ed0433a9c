// Unicode's form NFC, in which file names are the same on every system.

// The standard library composes text for its own comparisons and for Foundation, and has no public name for it yet (Swift
// 6.3). Whoever wants to be rid of this import: `_nfc` is all that is taken from it, and AssetNameTests check what it gives.
@_spi(_Unicode) private import Swift

/// A text in form NFC (Unicode Standard Annex 15): what looks the same has the same scalars.
func composed(_ text: String) -> String {
  // Nothing below U+0300 changes.
  if text.utf8.allSatisfy({ $0 < 0xCC }) { return text }
  var scalars = String.UnicodeScalarView()
  scalars.append(contentsOf: text._nfc)
  return String(scalars)
}
