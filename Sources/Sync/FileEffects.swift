// Feeds that are files, as a run sees them.

public import Core

/// Feeds that are files of this machine.
public struct FileEffects: Sendable {
  /// Reads a regular file; a cancelled task gives `.suspended`.
  public var read: Read

  /// Reads a regular file of at most so many bytes, unless it is as it was under a tag.
  public typealias Read =
    @Sendable (_ path: String, _ limit: ByteCount, _ tag: String?) async -> Result<FileContent, FetchFailure>

  /// What a file holds.
  public enum FileContent: Sendable {
    /// What it held under the tag.
    case unchanged
    /// These bytes, with a tag under which they can be known again; nil if that cannot be told yet.
    case content([UInt8], tag: String?)
  }

  /// Files.
  public init(read: @escaping Read) {
    self.read = read
  }
}
