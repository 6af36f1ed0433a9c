// How many items of one feed are stored, whatever its server sends.

/// The bounds of what is stored of one feed's items, the newest first by when they were first seen.
public enum ItemBounds {
  /// Items that are stored in full and listed; older ones are pruned: they count as seen and keep their identity only.
  public static let listed = 5000
  /// Items that have left the document and are still recognised when they come back; older ones are forgotten.
  ///
  /// As many as a document may have, so that no document makes the one before it new.
  public static let departed = ParsedFeed.maximumItems
  /// Unsettled transfers beyond which no more files of the feed's items are queued.
  public static let transfers = 10_000
}
