// The numbers of a bar: bytes, percent, rate and time left.

import Core
import Sync

/// How much of a file is there: `12.3 of 45.1 MB`, both in the unit of the whole; without a whole just `12.3 MB`.
func sizeText(_ received: Int64, of total: Int64?) -> String {
  guard let total, total > 0 else { return ByteCount(received).text }
  let whole = ByteCount(total).text
  let tenths: Int64? =
    switch whole.drop(while: { $0 != " " }) {
    case " kB": 100
    case " MB": 100_000
    case " GB": 100_000_000
    case " TB": 100_000_000_000
    default: nil
    }
  guard let tenths else { return "\(max(0, received)) of \(whole)" }
  let count = max(0, received) / tenths
  return "\(count / 10).\(count % 10) of \(whole)"
}

/// How much of a file is there, in percent; 100 only when it is all there, nil while nobody knows how much that is.
func percent(_ received: Int64, of total: Int64?) -> Int? {
  guard let total, total > 0 else { return nil }
  return received >= total ? 100 : min(99, Int(Double(max(0, received)) / Double(total) * 100))
}

/// How long the rest takes at the present rate: `0:42`, `12:05`, `2h05m`, `4d`; nil where that cannot be told.
func timeLeft(_ progress: TransferProgress) -> String? {
  guard let total = progress.total, progress.bytesPerSecond > 0, total >= progress.received else {
    return nil
  }
  let left = total - progress.received
  let seconds = left / progress.bytesPerSecond + (left % progress.bytesPerSecond > 0 ? 1 : 0)
  func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : String(number) }
  return switch seconds {
  case ..<3600: "\(seconds / 60):\(padded(seconds % 60))"
  case ..<360_000: "\(seconds / 3600)h\(padded(seconds % 3600 / 60))m"
  default: "\(seconds / 86_400)d"
  }
}
