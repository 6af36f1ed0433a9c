// A directory that is there for one invocation only.

import Glibc

/// A directory of this user's own (0700) under `$TMPDIR`, else `/tmp`, for what one invocation needs and nobody keeps.
///
/// Whoever makes it removes it; only a process that is killed leaves it behind, to whatever clears that place.
public struct ScratchDirectory: Hashable, Sendable {
  /// Its absolute path.
  public let path: String

  /// Makes it, empty, under a name that nothing else has (mkdtemp(3)).
  public init(environment: [String: String]) throws(FileFailure) {
    let named = environment["TMPDIR"] ?? ""
    let parent = named.hasPrefix("/") ? named : "/tmp"
    // Who may rename what is in it could put another directory in the place of ours.
    try FileSafety.require(parent)
    var template = Array((parent + "/bgfetch-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw FileFailure(parent, SystemError(code: errno)) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes it with all that is in it; what cannot be removed stays.
  public func remove() {
    if let directory = try? Descriptor.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) {
      Self.empty(directory)
    }
    rmdir(path)
  }

  /// Removes what is in a directory; links are removed, never followed.
  private static func empty(_ directory: Descriptor) {
    for name in directory.names(where: { $0 != "." && $0 != ".." }) {
      guard directory.borrow({ unlinkat($0, name, 0) }) != 0 else { continue }
      if let inner = try? directory.open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) { empty(inner) }
      directory.borrow { _ = unlinkat($0, name, AT_REMOVEDIR) }
    }
  }
}
