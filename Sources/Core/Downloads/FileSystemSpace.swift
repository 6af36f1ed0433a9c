// How much room a file system has, and how much it would have if it were empty.

/// The room of a file system.
public struct FileSystemSpace: Hashable, Sendable {
  /// The bytes that this user may still write.
  public var free: ByteCount
  /// All bytes of it, free or not; 0 where the system does not say.
  public var size: ByteCount

  /// The room of a file system.
  public init(free: ByteCount, size: ByteCount) {
    self.free = free
    self.size = size
  }
}
