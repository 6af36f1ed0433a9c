// What `keep` removes. It sees only files that bgfetch placed.

/// The files of a feed that `keep` does not let stay, the oldest first.
///
/// The newest file stays in any case. Of the others those stay, newest first, that are within every bound; the first one
/// beyond a bound goes, and all that are older go with it.
///
/// - Parameters:
///   - files: all placed files of the feed that were not removed, in any order.
///   - keep: the bounds.
///   - now: what ages are held against.
/// - Returns: those to remove.
public func filesToRemove(_ files: [PlacedTransfer], keep: KeepRule, at now: Instant) -> [PlacedTransfer] {
  guard !keep.keepsAll, files.count > 1 else { return [] }
  let newestFirst = files.sorted { ($0.date, $0.transfer) > ($1.date, $1.transfer) }
  var bounds = KeepBounds(keep, at: now)
  let kept = newestFirst.prefix { bounds.lets(date: $0.date, size: $0.file.size) }
  return newestFirst[kept.count...].reversed()
}

/// The bounds of `keep`, held against files one by one, the newest first.
struct KeepBounds {
  private let keep: KeepRule
  private let now: Instant
  private var count = 0
  private var size: Int64 = 0
  private var isFull = false

  /// Bounds against which nothing was held yet.
  init(_ keep: KeepRule, at now: Instant) {
    self.keep = keep
    self.now = now
  }

  /// Whether the next older file stays; after one that does not, none does.
  ///
  /// No age is too high where its date is not known, and its size in bytes is 0 where that is not known.
  mutating func lets(date: Instant?, size bytes: Int64) -> Bool {
    let (sum, overflow) = size.addingReportingOverflow(max(0, bytes))
    let isOver = [
      keep.count.map { count >= $0 } ?? false, keep.size.map { overflow || sum > $0.bytes } ?? false,
      keep.age.flatMap { age in date.map { $0 < now - age } } ?? false,
    ].contains(true)
    isFull = isFull || count > 0 && isOver
    count += 1
    size = overflow ? .max : sum
    return !isFull
  }
}
