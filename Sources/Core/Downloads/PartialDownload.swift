// What is there of a file that is not whole yet: what resuming needs to know.

/// What is there of a file that is not whole yet.
public struct PartialDownload: Hashable, Sendable {
  /// How many bytes of the partial file are safely on its file system; what lies beyond them is cut off before resuming.
  public var bytes: Int64 = 0
  /// The SHA-256 of these bytes: what the file system gives back must be what was written.
  ///
  /// Nil where there was no time to compute it, or to look: then that they were brought to the disk has to do.
  public var sha256: String?
  /// The size of the whole file, as the answer that began it said; nil if it did not.
  public var total: Int64?
  /// `ETag` of that answer, as written.
  public var entityTag: String?
  /// `Last-Modified` of that answer, as written.
  public var lastModified: String?
  /// `Date` of that answer, as written: what makes `Last-Modified` strong or not.
  public var date: String?
  /// Whether the server said that it takes ranges (`Accept-Ranges: bytes`, or a 206); nil if it said nothing.
  public var acceptsRanges: Bool?
  /// The address that answered, at the end of all redirects; a validator is sent nowhere else.
  public var address: String?

  /// Nothing is there.
  public init() {}
}
