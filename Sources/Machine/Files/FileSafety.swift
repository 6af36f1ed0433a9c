// Refuses files that another user could have written or replaced, and paths through directories that others can change.

import Core
import Glibc

/// A file or directory that another user could have written, and why.
public struct SafetyFinding: Error, Equatable, Sendable {
  public enum Problem: Equatable, Sendable {
    /// It belongs to another user than us or root.
    case ownedByOther(user: UInt32)
    /// Every user can write to it. Cure: `chmod go-w`, or other mount options.
    case writableByAnyone
    /// The members of a group can write to it. Cure: `chmod go-w`, or other mount options.
    case writableByGroup(UInt32)
    /// Every user can add files to it, as to /tmp. Cure: another directory.
    case openToAnyone
  }

  /// The file or directory; the target if a link was followed.
  public let path: String
  public let problem: Problem
  /// Whether only other mount options can cure it, because the file system stores no owners and permissions.
  public var isOfMount = false

  /// Whether the file must not be used; otherwise this is a warning.
  public var isRefusal: Bool {
    if case .writableByGroup = problem { return false }
    return true
  }
}

/// The rule for every path that bgfetch trusts or writes: no other user may own or change anything on the way to it.
///
/// Root is trusted. A directory like /tmp, where others may only add names, counts as private, but everything in it must
/// belong to us or root, even symbolic links.
public struct FileSafety: Sendable {
  private let rule: SafetyRule
  private let isOfMount: @Sendable (String) -> Bool

  public init() {
    self.init(rule: .own)
  }

  init(rule: SafetyRule, isOfMount: @escaping @Sendable (String) -> Bool = liesWithoutPermissions) {
    (self.rule, self.isOfMount) = (rule, isOfMount)
  }

  /// The findings for a file and for each directory and symbolic link on the way to it; normally none.
  ///
  /// Write permission of a group is reported only for the file, links to it, and their directories. A file that does not
  /// exist is an error unless it may be missing.
  public func findings(_ path: String, mayBeMissing: Bool = false) throws(FileFailure) -> [SafetyFinding] {
    var findings: [SafetyFinding] = []
    let (_, exists) = try walk(to: path, noting: &findings) { _ in false }
    if !exists, !mayBeMissing { throw FileFailure(path: path, problem: .missing) }
    return findings
  }

  /// The path without symbolic links, and whether it exists.
  ///
  /// If something on the way is refused, a later error does not matter.
  private func walk(
    to path: String, noting findings: inout [SafetyFinding], accepting accepts: (SafetyFinding) -> Bool
  ) throws(FileFailure) -> (path: String, exists: Bool) {
    func record(_ step: PathStep) {
      for finding in rule.findings(step) where !findings.contains(where: { $0.path == finding.path }) {
        var finding = finding
        finding.isOfMount = isOfMount(finding.path)
        if !accepts(finding) { findings.append(finding) }
      }
    }
    do throws(FileFailure) {
      return try walkPath(to: path, visit: record)
    } catch {
      guard findings.contains(where: \.isRefusal) else { throw error }
      return (path, true)
    }
  }

  /// Throws `FileProblem.unsafe` if a file or anything on the way to it is refused; the file may be missing.
  ///
  /// - Parameters:
  ///   - path: the file or directory.
  ///   - accepts: whether to ignore a finding.
  /// - Returns: the path without symbolic links, and whether it exists.
  /// - Throws: the refusal, or why the path cannot be followed.
  @discardableResult
  public static func require(
    _ path: String, accepting accepts: (SafetyFinding) -> Bool = { _ in false }
  ) throws(FileFailure) -> (path: String, exists: Bool) {
    // Groups lead to warnings only, so they need not be looked up here.
    let safety = FileSafety(rule: SafetyRule(user: geteuid(), privateGroup: nil))
    var findings: [SafetyFinding] = []
    let found = try safety.walk(to: path, noting: &findings, accepting: accepts)
    if let finding = findings.first(where: \.isRefusal) { throw FileFailure(finding) }
    return found
  }

  /// Throws if an open file or directory is refused by itself; the way to it was checked before.
  static func require(
    _ status: FileStatus, at path: String, of user: UInt32 = geteuid()
  ) throws(FileFailure) {
    let rule = SafetyRule(user: user, privateGroup: nil)
    let step = PathStep(path: path, status: status, following: 0, isInSharedDirectory: false)
    if let finding = rule.findings(step).first(where: \.isRefusal) { throw FileFailure(finding) }
  }

  /// Throws if a store's directory or a file in it is refused, or is not a regular file.
  ///
  /// The directory may be missing. A directory like /tmp is refused, because SQLite opens files that another user may add
  /// there.
  ///
  /// - Parameters:
  ///   - directory: the directory.
  ///   - name: the name of the database; SQLite derives the names of its other files from it.
  ///   - isOnlyRead: whether nothing is to be written. Root may read the store of a service, which belongs to its user.
  /// - Throws: the refusal, or why the path cannot be followed.
  public static func requireStore(
    _ directory: String, named name: String, isOnlyRead: Bool = false
  ) throws(FileFailure) {
    let (realPath, exists) = try walkPath(to: directory) { _ in }
    guard exists else {
      try require(directory)
      return
    }
    let status = try onPath(realPath, FileStatus(realPath, following: false))
    let user = isOnlyRead && geteuid() == 0 ? status.owner : geteuid()
    func accepts(_ finding: SafetyFinding) -> Bool {
      finding.problem == .ownedByOther(user: user)
        && (finding.path == realPath || finding.path.hasPrefix(realPath + "/"))
    }
    try require(directory, accepting: accepts)
    if status.isSharedDirectory { throw FileFailure(SafetyFinding(path: realPath, problem: .openToAnyone)) }
    let (database, _) = try require(realPath + "/" + name, accepting: accepts)
    for end in ["-wal", "-shm", "-journal"] {
      let path = database + end
      guard let status = try? FileStatus(path, following: false) else { continue }
      try require(status, at: path, of: user)
      // SQLite would wait for a writer of a pipe.
      try status.requireFile(path)
    }
  }
}

extension FileFailure {
  fileprivate init(_ finding: SafetyFinding) {
    self.init(path: finding.path, problem: .unsafe(finding))
  }
}

/// The rule for one user.
struct SafetyRule: Sendable {
  let user: UInt32
  /// A group without other members, so that its write permission does not matter.
  let privateGroup: UInt32?

  /// The rule for this process's user, whose private group has the user's number, as on Debian and Fedora.
  static let own = SafetyRule(user: geteuid(), privateGroup: geteuid())

  func findings(_ step: PathStep) -> [SafetyFinding] {
    let (path, status) = (step.path, step.status)
    var findings: [SafetyFinding] = []
    // Inside a user namespace root may have no number here. Where others can add names, the owner could be anyone.
    if status.owner != user, status.owner != 0, step.isInSharedDirectory || hasNumber(user: status.owner) {
      findings.append(SafetyFinding(path: path, problem: .ownedByOther(user: status.owner)))
    }
    // Links have no permissions, and those of a device (/dev/null) do not matter. In a sticky directory (/tmp) others can
    // add files but cannot remove or rename ours, and the owner of each file is checked above.
    let isSticky = status.kind == .directory && status.permissions & S_ISVTX != 0
    guard status.kind != .link, !isSticky, !status.isDevice else { return findings }
    if status.permissions & S_IWOTH != 0 {
      findings.append(SafetyFinding(path: path, problem: .writableByAnyone))
    } else if step.following <= 1, status.permissions & S_IWGRP != 0, status.group != privateGroup,
      status.group != 0
    {
      findings.append(SafetyFinding(path: path, problem: .writableByGroup(status.group)))
    }
    return findings
  }
}

/// Whether a user has a number of their own here; false for the number of all users that a user namespace does not map
/// (user_namespaces(7)).
private func hasNumber(user: UInt32) -> Bool {
  guard let bytes = try? readFile("/proc/self/uid_map", limit: ByteCount(65_536)) else { return true }
  return String(decoding: bytes, as: UTF8.self).split(separator: "\n").contains { line in
    let numbers = line.split(separator: " ").compactMap { UInt64($0) }
    return numbers.count == 3 && UInt64(user) >= numbers[0] && UInt64(user) - numbers[0] < numbers[2]
  }
}
