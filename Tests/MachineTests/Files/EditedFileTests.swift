// Replacing a file that a person also edits.

import Foundation
import Machine
import Testing

@Suite struct EditedFileTests {
  private let directory = TestDirectory()

  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test func `the new content replaces the old, and mode and link stay`() throws {
    let target = directory.file("dotfiles.yaml", "old")
    chmod(target, 0o640)
    let link = directory.path + "/bgfetch.yaml"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "dotfiles.yaml")

    try EditedFile.replace(link, from: bytes("old"), to: bytes("new"))

    #expect(try String(contentsOfFile: target, encoding: .utf8) == "new")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "dotfiles.yaml")
    #expect(try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int == 0o640)
    #expect(directory.names.count == 2)
  }

  @Test(arguments: ["", "ol", "old ", "other"])
  func `a file that has changed meanwhile stays`(now: String) throws {
    let path = directory.file("bgfetch.yaml", now)

    #expect(throws: FileFailure(path: path, problem: .changed)) {
      try EditedFile.replace(path, from: bytes("old"), to: bytes("new"))
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == now)
    #expect(directory.names.count == 1)
  }

  @Test func `a file with a second name stays`() throws {
    let path = directory.file("bgfetch.yaml", "old")
    try FileManager.default.linkItem(atPath: path, toPath: directory.path + "/other")

    #expect(throws: FileFailure(path: path, problem: .hasOtherNames)) {
      try EditedFile.replace(path, from: bytes("old"), to: bytes("new"))
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
  }

  @Test func `a missing file and a directory are refused`() throws {
    let path = directory.path + "/missing"

    #expect(throws: FileFailure(path: path, problem: .missing)) {
      try EditedFile.replace(path, from: [], to: bytes("new"))
    }
    #expect(throws: FileFailure(path: directory.path, problem: .isDirectory)) {
      try EditedFile.replace(directory.path, from: [], to: bytes("new"))
    }
  }

  @Test(.enabled(if: geteuid() == 0))
  func `owner and group stay when root edits a file`() throws {
    let path = directory.file("bgfetch.yaml", "old")
    chown(path, 0, 12)

    try EditedFile.replace(path, from: bytes("old"), to: bytes("new"))

    #expect(try FileManager.default.attributesOfItem(atPath: path)[.groupOwnerAccountID] as? Int == 12)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
  }
}
