// Names without regard to case, as the file systems have them that disregard it.

/// A text without regard to case, as FAT, NTFS, APFS and ext4's casefold have names, or coarser: two texts are the same
/// without it if this gives the same for both.
///
/// By way of the capital letters, since some letters differ only in being small: ς and σ, ſ and s; and to those by way of
/// the small ones, since ẞ is capital and stays what it is, where ß becomes SS. It is what
/// `lowercased().uppercased().lowercased()` gives, which takes many times as long where most is ASCII.
public func caseless(_ text: String) -> String {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(text.utf8.count)
  for scalar in text.unicodeScalars {
    if scalar.isASCII {
      bytes.append(asciiLowercased(UInt8(truncatingIfNeeded: scalar.value)))
    } else {
      bytes += scalar.properties.lowercaseMapping.uppercased().lowercased().utf8
    }
  }
  return String(decoding: bytes, as: UTF8.self)
}
