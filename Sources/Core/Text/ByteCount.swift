// Numbers of bytes: as people write them, and as they are shown.

/// A number of bytes, never negative.
public struct ByteCount: Hashable, Comparable, Sendable {
  public let bytes: Int64

  /// A negative number gives zero.
  public init(_ bytes: Int64) {
    self.bytes = max(0, bytes)
  }

  /// Reads a whole number with a unit: `B`, `KiB`, `MiB`, `GiB`, `TiB` (powers of 1024), `KB`, `MB`, `GB`, `TB` (powers of
  /// 1000).
  ///
  /// Nil without a unit, because `10` is ambiguous.
  public init?(text: String) {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int64(digits), let factor = Self.factors[String(text.dropFirst(digits.count))] else {
      return nil
    }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: factor)
    guard !overflow else { return nil }
    self.bytes = bytes
  }

  private static let factors: [String: Int64] = [
    "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
    "KB": 1000, "MB": 1_000_000, "GB": 1_000_000_000, "TB": 1_000_000_000_000,
  ]

  /// The size as `init(text:)` reads it, in the largest unit that gives a whole number.
  public var written: String {
    let unit = Self.factors.filter { bytes.isMultiple(of: $0.value) }.max { $0.value < $1.value }
    return bytes == 0 ? "0B" : "\(bytes / (unit?.value ?? 1))\(unit?.key ?? "B")"
  }

  public static func < (left: ByteCount, right: ByteCount) -> Bool { left.bytes < right.bytes }

  /// Short text for people, such as `14.1 MB`.
  public var text: String {
    guard bytes >= 1000 else { return "\(bytes) B" }
    var tenths = bytes / 100
    var unit = 0
    let units = ["kB", "MB", "GB", "TB"]
    while tenths >= 10_000, unit < units.count - 1 {
      tenths /= 1000
      unit += 1
    }
    return "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }
}
