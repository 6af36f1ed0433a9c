// Which files and directories are refused because another user could change them.

import Glibc
import Testing

@testable import Machine

/// The rules for who may have written a file.
///
/// Group 4242 has several members; 1000 is the user's own.
@Suite struct FileSafetyTests {
  let directory = TestDirectory()
  let safety = FileSafety(rule: SafetyRule(user: geteuid(), privateGroup: 1000))

  @Test(arguments: [0o700, 0o1777] as [UInt32])
  func `our own file in our directory, or in a sticky one like tmp, has no finding`(mode: UInt32) throws {
    let file = directory.file("bgfetch.yaml", "", permissions: 0o644)
    chmod(directory.path, mode)

    #expect(try safety.findings(file) == [])
  }

  @Test func `a file that everyone may write is refused`() throws {
    let file = directory.file("bgfetch.yaml", "", permissions: 0o666)

    let findings = try safety.findings(file)

    #expect(findings == [SafetyFinding(path: file, problem: .writableByAnyone)])
    #expect(findings.map(\.isRefusal) == [true])
  }

  @Test func `a directory that everyone may write is refused`() throws {
    let file = directory.file("bgfetch.yaml", "")
    chmod(directory.path, 0o777)

    #expect(try safety.findings(file) == [SafetyFinding(path: directory.path, problem: .writableByAnyone)])
  }

  @Test func `a link's target and its directory are looked at too`() throws {
    mkdir(directory("open"), 0o700)
    chmod(directory("open"), 0o777)
    let file = directory.file("open/target", "", permissions: 0o666)
    symlink("open/target", directory("bgfetch.yaml"))

    #expect(try safety.findings(directory("bgfetch.yaml")).map(\.path) == [directory("open"), file])
  }

  @Test func `a finding says if its file system has no permissions`() throws {
    let file = directory.file("bgfetch.yaml", "", permissions: 0o666)
    let onFAT = FileSafety(rule: SafetyRule(user: geteuid(), privateGroup: 1000)) { $0 == file }

    #expect(
      try onFAT.findings(file) == [SafetyFinding(path: file, problem: .writableByAnyone, isOfMount: true)])
  }

  @Test(
    arguments: [
      // statfs(2): vfat, exfat, ntfs3; ext4, tmpfs, btrfs, overlayfs, FUSE.
      (0x4D44, true), (0x2011_BAB0, true), (0x7366_746E, true), (0xEF53, false), (0x0102_1994, false),
      (0x9123_683E, false), (0x794C_7630, false), (0x6573_5546, false),
    ] as [(UInt32, Bool)])
  func `FAT, exFAT and NTFS keep no permissions`(type: UInt32, expected: Bool) {
    #expect(keepsNoPermissions(fileSystem: type) == expected)
  }

  @Test func `a file that is not there is an error`() {
    #expect(throws: FileFailure(path: directory("missing"), problem: .missing)) {
      try safety.findings(directory("missing"))
    }
  }

  @Test func `a pipe of the shell has no directories to check`() throws {
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    defer { ends.forEach { close($0) } }

    #expect(try safety.findings("/dev/fd/\(ends[0])") == [])
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func `a file, link or directory of another user is refused`() throws {
    let file = directory.file("bgfetch.yaml", "")
    symlink(file, directory("link"))
    mkdir(directory("theirs"), 0o755)
    let below = directory.file("theirs/bgfetch.yaml", "")
    for path in [file, directory("link"), directory("theirs")] { lchown(path, 4711, 4711) }

    let stranger = SafetyFinding.Problem.ownedByOther(user: 4711)
    #expect(try safety.findings(file) == [SafetyFinding(path: file, problem: stranger)])
    #expect(
      try safety.findings(directory("link"))
        == [directory("link"), file].map { SafetyFinding(path: $0, problem: stranger) })
    #expect(try safety.findings(below) == [SafetyFinding(path: directory("theirs"), problem: stranger)])
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func `root's files are trusted for other users too`() throws {
    let user = FileSafety(rule: SafetyRule(user: 1000, privateGroup: nil))
    let file = directory.file("bgfetch.yaml", "")

    #expect(try user.findings(file) == [])
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files to any group"))
  func `a group with other members that may write is a warning, the user's own is none`() throws {
    let shared = directory.file("shared.yaml", "")
    let own = directory.file("own.yaml", "")
    chown(shared, 0, 4242)
    chown(own, 0, 1000)
    chmod(shared, 0o664)
    chmod(own, 0o664)

    let findings = try safety.findings(shared)

    #expect(findings == [SafetyFinding(path: shared, problem: .writableByGroup(4242))])
    #expect(findings.map(\.isRefusal) == [false])
    #expect(try safety.findings(own) == [])
  }
}
