// Letters of ASCII without regard to case, byte by byte: what hosts, header fields and markup are compared by.

/// A capital letter of ASCII as a small one; any other byte as it is.
@inlinable
public func asciiLowercased(_ byte: UInt8) -> UInt8 {
  (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}
