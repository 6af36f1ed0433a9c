// Whether somebody else could have written what we are about to believe, or led us to what we are about to write. The
// wording of it is the program's.

import Core
import Glibc

/// Why a file or directory may hold what somebody else wrote.
public struct SafetyFinding: Error, Hashable, Sendable {
  /// What is the matter.
  public enum Problem: Hashable, Sendable {
    /// It belongs to a user who is neither us nor root.
    case ownedByOther(user: UInt32)
    /// Every user may write it; `chmod go-w` cures it, unless the mount says so.
    case writableByAnyone
    /// The members of a group may write it; `chmod go-w` cures it, unless the mount says so.
    case writableByGroup(UInt32)
    /// Every user may add files to it, as to /tmp; only a directory of one's own cures it.
    case openToAnyone
  }

  /// The file or directory, the target where a link was followed.
  public let path: String
  /// What is the matter with it.
  public let problem: Problem
  /// Whether only other options of its mount can cure it, since its file system keeps neither owners nor permissions.
  public var isOfMount = false

  /// Whether the file must not be used; otherwise it is a warning.
  public var isRefusal: Bool {
    if case .writableByGroup = problem { return false }
    return true
  }
}

/// The rule for every path that bgfetch believes or writes: no other user may own or change anything on the way to it.
///
/// Root is trusted. A directory like /tmp, where others may only add names, is as good as a private one: what lies in it
/// must belong to us or root, symbolic links too.
public struct FileSafety: Sendable {
  private let rule: SafetyRule
  private let isOfMount: @Sendable (String) -> Bool

  /// The rule for the user whom the process runs as.
  public init() {
    self.init(rule: SafetyRule(user: geteuid(), privateGroup: privateGroup(of: geteuid())))
  }

  init(rule: SafetyRule, isOfMount: @escaping @Sendable (String) -> Bool = liesWithoutPermissions) {
    self.rule = rule
    self.isOfMount = isOfMount
  }

  /// What is wrong with a file and with each directory and symbolic link on the way to it.
  ///
  /// No finding is the normal result. Groups that may write are found only of the file, of links to it, and of the
  /// directories that hold these. A file that does not exist is an error, unless it may be missing; then the way to it
  /// counts as far as it exists.
  public func findings(_ path: String, mayBeMissing: Bool = false) throws(FileFailure) -> [SafetyFinding] {
    var findings: [SafetyFinding] = []
    let (_, exists) = try walk(to: path, noting: &findings) { _ in false }
    if !exists, !mayBeMissing { throw FileFailure(path: path, problem: .missing) }
    return findings
  }

  /// The path without symbolic links, and whether there is anything.
  ///
  /// Where the way ends at something that is refused, it is no error that it ends there.
  private func walk(
    to path: String, noting findings: inout [SafetyFinding], accepting accepts: (SafetyFinding) -> Bool
  ) throws(FileFailure) -> (path: String, exists: Bool) {
    func note(_ step: PathStep) {
      for finding in rule.findings(step) where !findings.contains(where: { $0.path == finding.path }) {
        var finding = finding
        finding.isOfMount = isOfMount(finding.path)
        if !accepts(finding) { findings.append(finding) }
      }
    }
    do throws(FileFailure) {
      return try Host.walk(to: path, visit: note)
    } catch {
      guard findings.contains(where: \.isRefusal) else { throw error }
      return (path, true)
    }
  }

  /// Fails if anything on the way to a file, or the file, is refused; it may be missing.
  ///
  /// - Parameters:
  ///   - path: the file or directory.
  ///   - accepts: whether a finding is none after all.
  /// - Returns: the path without symbolic links, and whether there is anything.
  /// - Throws: `FileProblem.unsafe`, or what keeps the way from being followed.
  @discardableResult
  public static func require(
    _ path: String, accepting accepts: (SafetyFinding) -> Bool = { _ in false }
  ) throws(FileFailure) -> (path: String, exists: Bool) {
    // Groups only warn, so that nobody needs to look them up.
    let safety = FileSafety(rule: SafetyRule(user: geteuid(), privateGroup: nil))
    var findings: [SafetyFinding] = []
    let found = try safety.walk(to: path, noting: &findings, accepting: accepts)
    if let finding = findings.first(where: \.isRefusal) { throw FileFailure(finding) }
    return found
  }

  /// Fails if an open file or directory is refused by itself; the way to it was looked at before.
  static func require(_ status: FileStatus, at path: String) throws(FileFailure) {
    let rule = SafetyRule(user: geteuid(), privateGroup: nil)
    let step = PathStep(path: path, status: status, following: 0, isInSharedDirectory: false)
    if let finding = rule.findings(step).first(where: \.isRefusal) { throw FileFailure(finding) }
  }

  /// Fails if the directory or a file of a store in it is refused, or is not what SQLite expects.
  ///
  /// The directory may be missing. Even one like /tmp is refused: SQLite opens what somebody else may add there.
  ///
  /// - Parameters:
  ///   - directory: the directory.
  ///   - name: the database's name in it; SQLite makes the names of its other files from that.
  /// - Throws: `FileProblem.unsafe`, `isSpecial` or `isDirectory`, or what keeps the way from being followed.
  public static func requireStore(_ directory: String, named name: String) throws(FileFailure) {
    let (place, exists) = try require(directory)
    guard exists else { return }
    let status = try onPath(place) { () throws(SystemError) in try FileStatus(place, following: false) }
    if status.isSharedDirectory { throw FileFailure(SafetyFinding(path: place, problem: .openToAnyone)) }
    let (database, _) = try require(place + "/" + name)
    for end in ["-wal", "-shm", "-journal"] {
      let path = database + end
      guard let status = try? FileStatus(path, following: false) else { continue }
      try require(status, at: path)
      switch status.kind {
      case .file: break
      case .directory: throw FileFailure(path: path, problem: .isDirectory)
      // SQLite would wait for the writer of a pipe.
      case .link, .socket, .other: throw FileFailure(path: path, problem: .isSpecial)
      }
    }
  }
}

extension FileFailure {
  fileprivate init(_ finding: SafetyFinding) {
    self.init(path: finding.path, problem: .unsafe(finding))
  }
}

/// Who may write what, for one user.
struct SafetyRule: Sendable {
  let user: UInt32
  /// A group that has no other member, so that being writable by it is as good as private.
  let privateGroup: UInt32?

  /// What is wrong with one file, directory or link.
  func findings(_ step: PathStep) -> [SafetyFinding] {
    let (path, status) = (step.path, step.status)
    var findings: [SafetyFinding] = []
    // Inside a user namespace root may have no number. Only where others can add names could it be anybody.
    if status.owner != user, status.owner != 0, step.isInSharedDirectory || hasNumber(user: status.owner) {
      findings.append(SafetyFinding(path: path, problem: .ownedByOther(user: status.owner)))
    }
    // A link has no permissions of its own; those of a device, as /dev/null, are not about what it holds. In a sticky directory (/tmp) others can add files, but neither
    // remove nor rename ours, and the owner of each file is checked above.
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

/// Whether a user's number stands for that user here; false for what stands for all whom a user namespace leaves out
/// (user_namespaces(7)).
private func hasNumber(user: UInt32) -> Bool {
  guard let bytes = try? readFile("/proc/self/uid_map", limit: ByteCount(65_536)) else { return true }
  return String(decoding: bytes, as: UTF8.self).split(separator: "\n").contains { line in
    let numbers = line.split(separator: " ").compactMap { UInt64($0) }
    return numbers.count == 3 && UInt64(user) >= numbers[0] && UInt64(user) - numbers[0] < numbers[2]
  }
}

/// The user's group where each user has one of their own with the same name and a umask of 002, as on Debian
/// and Fedora; else nil.
private func privateGroup(of user: UInt32) -> UInt32? {
  guard let account = Account(user: user), let members = groupMembers(account.group, named: account.name)
  else { return nil }
  return members.allSatisfy { $0 == account.name } ? account.group : nil
}

/// The further members of a group, nil if it is not there or has another name.
private func groupMembers(_ group: UInt32, named name: String) -> [String]? {
  var buffer = [CChar](repeating: 0, count: 16_384)
  var entry = Glibc.group()
  var found: UnsafeMutablePointer<Glibc.group>?
  // The strings lie in the buffer, so they are copied before it goes.
  return buffer.withUnsafeMutableBufferPointer { space in
    guard getgrgid_r(group, &entry, space.baseAddress, space.count, &found) == 0, found != nil,
      let groupName = entry.gr_name, String(cString: groupName) == name
    else { return nil }
    var members: [String] = []
    var next = entry.gr_mem
    while let member = next?.pointee {
      members.append(String(cString: member))
      next = next?.advanced(by: 1)
    }
    return members
  }
}
