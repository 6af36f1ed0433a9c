// Checks that packages have every document and example, have one version, and leave nothing behind.

import Foundation
import TestKit
import Testing

@Suite struct PackagingTests {
  @Test func `make install copies every document and example, and uninstall removes all of it`() throws {
    let stage = try Stage()

    let installed = try stage.make("install")
    let files = Set(try stage.files())
    let removed = try stage.make("uninstall")

    #expect(installed.status == 0, "\(installed.output)")
    let documents = try ["doc", "examples"].flatMap { try Repository.files(below: $0, endingIn: "") }
    for document in documents + ["README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE"] {
      #expect(files.contains("usr/local/share/doc/bgfetch/" + document))
    }
    #expect(files.contains("usr/local/share/man/man5/bgfetch.yaml.5"))
    #expect(files.contains("usr/local/share/bash-completion/completions/bgfetch"))
    for unit in ["bgfetch.timer", "bgfetch.service", "bgfetch-push@.service"] {
      #expect(files.isSuperset(of: ["user", "system"].map { "usr/local/lib/systemd/\($0)/\(unit)" }))
    }
    #expect(removed.status == 0)
    #expect(try stage.files() == [])
  }

  @Test func `below a home directory there are no units of the system`() throws {
    let stage = try Stage()

    _ = try stage.make("install", "PREFIX=/home/me/.local")
    let units = try stage.files().filter { $0.contains("/systemd/") }

    #expect(units.contains("home/me/.local/share/systemd/user/bgfetch.timer"))
    #expect(units.allSatisfy { $0.contains("/systemd/user/") })
    let service = try String(
      contentsOfFile: stage.directory.file("home/me/.local/share/systemd/user/bgfetch.service"),
      encoding: .utf8)
    #expect(service.contains("\nExecStart=/home/me/.local/bin/bgfetch run "))
  }

  @Test func `make install of nothing says what to do first`() throws {
    let stage = try Stage()

    let installed = try stage.make("install", "program=/nonexistent")

    #expect(installed.status != 0)
    #expect(installed.output.contains("run make build first"))
    #expect(try stage.files() == [])
  }

  private func version() throws -> String {
    try run(Repository.program(), ["--version"]).output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test(arguments: [
    ("packaging/arch/PKGBUILD", "pkgver="), ("packaging/nix/package.nix", "version = \""),
    ("doc/install.md", "bgfetch_"),
  ])
  func `a recipe has the version of the program`(path: String, key: String) throws {
    #expect(try Repository.text(path).contains(key + version()))
  }

  @Test func `no page has another version than the program`() throws {
    let version = try version()
    let pages = try ["doc", "examples", "man", "packaging"].flatMap {
      try Repository.files(below: $0, endingIn: "")
    }
    for page in pages + ["README.md", "SECURITY.md"] {
      // Pictures are no text.
      let text = (try? Repository.text(page)) ?? ""
      for name in text.matches(of: /bgfetch[-_\/]([0-9]+\.[0-9]+\.[0-9]+)/) {
        #expect(name.1 == version, "\(page)")
      }
    }
  }

  @Test(arguments: [
    "## [Unreleased]", "## [0.1.0] - 2027-01-02", "## [Unreleased]\n\n## [0.1.0] - 2027-01-02",
  ])
  func `the notes are the section of the version, or before there is one what is not released`(
    heading: String
  ) throws {
    let tree = try TemporaryDirectory()
    for directory in ["scripts", "Sources/bgfetch"] {
      try FileManager.default.createDirectory(
        atPath: tree.file(directory), withIntermediateDirectories: true)
    }
    try FileManager.default.copyItem(
      atPath: Repository.root.appending(path: "scripts/package").path, toPath: tree.file("scripts/package"))
    _ = try tree.write("  static let version = \"0.1.0\"\n", to: "Sources/bgfetch/Bgfetch.swift")
    _ = try tree.write("# Changelog\n\n\(heading)\n\nNews.\n\n## [0.0.1]\n\nOld.\n", to: "CHANGELOG.md")

    // By its interpreter: a program that another test starts meanwhile may still have the copy open for writing.
    let made = try run(URL(filePath: "/bin/bash"), [tree.file("scripts/package"), "notes"])

    #expect(made.status == 0, "\(made.output)")
    let notes = try String(
      contentsOfFile: tree.file(".build/packages/bgfetch-0.1.0.notes.md"), encoding: .utf8)
    #expect(notes == "# bgfetch 0.1.0\n\nNews.\n\n")
  }

  @Test(arguments: [
    ["/bin/bash", "packaging/arch/PKGBUILD"], ["/bin/bash", "scripts/package"],
    ["/bin/bash", "scripts/test-packages"], ["/bin/bash", "scripts/first-hour"],
    ["/bin/bash", "scripts/set-version"],
    ["/bin/sh", "packaging/debian/postinst"],
    ["/bin/sh", "packaging/debian/prerm"], ["/bin/sh", "packaging/debian/postrm"],
    ["/bin/sh", "scripts/setup"],
  ])
  func `a shell can read a script`(words: [String]) throws {
    let checked = try run(URL(filePath: words[0]), ["-n", Repository.root.appending(path: words[1]).path])

    #expect(checked.status == 0, "\(checked.output)")
  }
}

/// A directory to install to.
private struct Stage {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  func make(_ words: String...) throws -> (status: Int32, output: String) {
    let program = try Repository.program().path
    return try run(
      URL(filePath: "/usr/bin/make"),
      [
        "-s", "-C", Repository.root.path, "DESTDIR=" + directory.path, "PREFIX=/usr/local",
        "program=" + program,
      ]
        + words)
  }

  func files() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: directory.path).filter { name in
      try URL(filePath: directory.file(name)).resourceValues(forKeys: [.isDirectoryKey]).isDirectory != true
    }
  }
}
