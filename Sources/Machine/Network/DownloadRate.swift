// The rate at which one download may receive bytes, as its part of `network.rate-limit`.

/// A limit of bytes a second from a moment on.
///
/// libcurl's own limit lets the bytes of some seconds pass at once (7.88).
struct DownloadRate {
  /// In bytes a second.
  let limit: Int64
  private let since = WallClock.monotonicMilliseconds()
  private var bytes: Int64 = 0

  init(limit: Int64) { self.limit = limit }

  /// Counts received bytes.
  mutating func add(_ count: Int) { bytes += Int64(count) }

  /// The milliseconds until it allows more bytes.
  var pause: Int64 { max(0, since + bytes * 1000 / limit - WallClock.monotonicMilliseconds()) }
}
