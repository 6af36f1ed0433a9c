// Who may put files into a directory, so that it shows when that has changed.

/// Who may put files into a directory, symbolic links followed: its owner, its group and its permissions.
public struct DirectoryAccess: Hashable, Sendable {
  /// All of that in one line.
  public let text: String

  /// The access to what is there; nil if nothing is, or it cannot be looked at.
  public init?(_ path: String) {
    guard let status = try? FileStatus(path, following: true) else { return nil }
    text = "\(status.owner) \(status.group) \(String(status.permissions, radix: 8))"
  }
}
