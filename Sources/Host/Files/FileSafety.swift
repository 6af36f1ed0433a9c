// Whether somebody else could have written what we are about to believe. The wording of it is the program's.

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

/// The rule for files that commands and passwords are taken from: configurations, includes, secrets.
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

  /// The directories that hold a file and each symbolic link on the way to it, each once.
  public static func directories(of path: String) throws(FileFailure) -> [String] {
    var seen: Set<String> = []
    return try linkChain(from: path).map { PathParts($0).directory }.filter { seen.insert($0).inserted }
  }

  /// What is wrong with a file, each symbolic link on the way to it, and the directories that hold them.
  ///
  /// No finding is the normal result. A file that does not exist is an error.
  public func findings(_ path: String) throws(FileFailure) -> [SafetyFinding] {
    let status = try onPath(path) { () throws(SystemError) in try FileStatus(path, following: true) }
    guard status.kind == .file || status.kind == .directory else {
      // A pipe of the shell's `<(…)` is its own place; its directory in /proc says nothing.
      return rule.findings(path, status)
    }
    var findings: [SafetyFinding] = []
    var seen: Set<String> = []
    let chain = try linkChain(from: path)
    for hop in chain {
      let directory = PathParts(hop).directory
      for place in [directory, hop] where seen.insert(place).inserted {
        let status = try onPath(place) { () throws(SystemError) in
          try FileStatus(place, following: place == directory)
        }
        findings += rule.findings(place, status).map { finding in
          SafetyFinding(path: finding.path, problem: finding.problem, isOfMount: isOfMount(finding.path))
        }
      }
    }
    return findings
  }
}

/// Who may write what, for one user.
struct SafetyRule: Sendable {
  let user: UInt32
  /// A group that has no other member, so that being writable by it is as good as private.
  let privateGroup: UInt32?

  /// What is wrong with one file, directory or link.
  func findings(_ path: String, _ status: FileStatus) -> [SafetyFinding] {
    var findings: [SafetyFinding] = []
    if status.owner != user, status.owner != 0 {
      findings.append(SafetyFinding(path: path, problem: .ownedByOther(user: status.owner)))
    }
    // A link has no permissions of its own. In a sticky directory (/tmp) others can add files, but neither
    // remove nor rename ours, and the owner of each file is checked above.
    let isSticky = status.kind == .directory && status.permissions & S_ISVTX != 0
    guard status.kind != .link, !isSticky else { return findings }
    if status.permissions & S_IWOTH != 0 {
      findings.append(SafetyFinding(path: path, problem: .writableByAnyone))
    } else if status.permissions & S_IWGRP != 0, status.group != privateGroup, status.group != 0 {
      findings.append(SafetyFinding(path: path, problem: .writableByGroup(status.group)))
    }
    return findings
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
