// Documents directories that are full, removed, read-only, or have links and files in the way.

import Foundation
import TestKit
import Testing

@Suite struct DownloadDirectoryTests {
  private static let content = FileContent(600_000, seed: 8)

  private func program(download: String = "") throws -> DownloadProgram {
    try DownloadProgram(["a.mp3": AssetFile(Self.content)], download: download)
  }

  @Test func `a placed file has the mode of the umask and the date of its item`() async throws {
    let program = try program()

    try await program.settle()

    let path = program.documents + "/" + (try #require(program.placed.first))
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    let mask = umask(0)
    umask(mask)
    #expect(attributes[.posixPermissions] as? Int == 0o666 & ~Int(mask))
    // 2026-10-28 10:00 UTC
    #expect((attributes[.modificationDate] as? Date)?.timeIntervalSince1970 == 1_793_181_600)
    let placed = try #require(program.events.first { $0["event"] as? String == "asset-placed" })
    let asset = try #require(placed["asset"] as? [String: Any])
    #expect(asset["path"] as? String == path)
    #expect(asset["size"] as? Int == 600_000)
    #expect(asset["sha256"] as? String == (try Self.content.sha256()))
  }

  @Test func `a file that cannot be written is reported once with 74, and later resumed`() async throws {
    let other = FileContent(50_000, seed: 9)
    let program = try DownloadProgram(["a.mp3": AssetFile(Self.content), "b.mp3": AssetFile(other)])
    _ = try program.bgfetch.home.write("in the way", to: "documents")

    let runs = [try await program.bgfetch("run"), try await program.bgfetch("run", "planet")]
    unlink(program.documents)
    _ = try await program.bgfetch("run", "planet")

    #expect(runs.map(\.status) == [74, 74])
    #expect(runs.map { $0.errors.split(separator: "\n").count } == [1, 0], "\(runs.map(\.errors))")
    #expect(runs[0].errors.contains("documents is in the way"))
    try program.expectSettled([Self.content, other])
  }

  @Test func `a file larger than the free space is reported as that`() async throws {
    // More than is free, but less than the file system has: beyond that the file is too large.
    let system = try FileManager.default.attributesOfFileSystem(forPath: NSTemporaryDirectory())
    let sizes = [FileAttributeKey.systemFreeSize, .systemSize].compactMap { system[$0] as? NSNumber }
    let length = sizes.map(\.intValue).reduce(0, +) / 2
    let program = try DownloadProgram(["a.mp3": AssetFile(Self.content, .lengthTooLong(by: length))])
    try await program.run()

    let run = try await program.bgfetch("run", at: moment(hours: 6))

    #expect(run.status == 0)
    #expect(run.errors.contains("left, less than "), "\(run.errors)")
    #expect(!run.errors.contains("1.0 kB"), "\(run.errors)")
  }

  @Test(arguments: ["planet", ".bgfetch"])
  func `a link in place of a directory is not followed`(name: String) async throws {
    let program = try program()
    let elsewhere = try program.bgfetch.makeDirectory("elsewhere")
    try program.bgfetch.makeDirectory("documents")
    symlink(elsewhere, program.documents + "/" + name)

    for hour in 0..<3 { try await program.run(at: hour * 6) }

    #expect(DownloadProgram.files(below: elsewhere) == [])
    #expect(program.count(of: "asset-placed") == 0)
  }

  @Test func `a link in place of a directory fails the download, delivered once it is final`() async throws {
    let program = try program()
    try program.bgfetch.makeDirectory("documents")
    symlink(program.bgfetch.home.path, program.documents + "/planet")

    var statuses: [Int32] = []
    for hour in 0..<12 {
      statuses.append(try await program.bgfetch("run", at: moment(hours: hour * 7)).status)
    }

    #expect(!statuses.contains(74), "\(statuses)")
    #expect(program.count(of: "transfer-failed") == 1)
    #expect(program.count(of: "session-finished") == 1)
    let listed = try await program.bgfetch("transfers", "--all")
    #expect(listed.output.contains("planet is a symbolic link, which is not followed"), "\(listed.output)")
  }

  @Test func `if a file has the name of a directory, the directory gets a number`() async throws {
    let other = FileContent(50_000, seed: 9)
    let program = try DownloadProgram(
      ["a.mp3": AssetFile(Self.content), "b.mp3": AssetFile(other)],
      download: "name: \"Sub/x/{name}{ext}\"")
    try program.bgfetch.makeDirectory("documents/Sub (2)")
    for name in ["Sub", "Sub (2)/x", "Sub (2)/x (2)"] {
      _ = try program.bgfetch.home.write("the user's own", to: "documents/" + name)
    }

    try await program.settle()

    #expect(
      program.placed.sorted() == [
        "Sub", "Sub (2)/x", "Sub (2)/x (2)", "Sub (2)/x (3)/a.mp3", "Sub (2)/x (3)/b.mp3",
      ])
    #expect(program.bgfetch.text(of: "documents/Sub") == "the user's own")
    #expect(program.count(of: "asset-placed") == 2)
  }

  @Test func `a link with a file's name is neither followed nor replaced`() async throws {
    let program = try program(download: "name: \"fixed{ext}\"")
    try program.bgfetch.makeDirectory("documents")
    let target = try program.bgfetch.home.write("target", to: "target")
    symlink(target, program.documents + "/fixed.mp3")
    symlink(program.bgfetch.home.file("nowhere"), program.documents + "/fixed (2).mp3")

    try await program.settle()

    #expect(program.bgfetch.text(of: "target") == "target")
    #expect(!FileManager.default.fileExists(atPath: program.bgfetch.home.file("nowhere")))
    let files = try program.placed.filter { !$0.hasPrefix("fixed.mp3") && !$0.hasPrefix("fixed (2)") }
      .map { try program.bytes($0) }
    #expect(files.count == 1 && Self.content.isWhole(files[0]))
  }

  @Test func `a removed directory suspends its transfers, and is not made again`() async throws {
    let program = try program()
    try await program.settle()
    let (away, new) = (program.bgfetch.home.file("away"), FileContent(50_000, seed: 9))
    program.add(AssetFile(new), named: "b.mp3")
    rename(program.documents, away)

    try await program.run(at: 12)
    let left = try await program.unsettled(at: 12)
    let isBack = FileManager.default.fileExists(atPath: program.documents)
    let asked = program.server.requests("/b.mp3").count
    rename(away, program.documents)
    try await program.settle(from: 18)

    #expect(left.map { $0["status"] as? String } == ["suspended"])
    #expect((left.first?["reason"] as? String)?.isEmpty == false)
    #expect(!isBack && asked == 0)
    try program.expectSettled([Self.content, new], sessions: 2)
  }

  @Test func `check warns of a removed directory`() async throws {
    let program = try program()
    try await program.settle()
    let bgfetch = program.bgfetch
    let before = try await [bgfetch("check"), bgfetch("status", "--problems")]
    rename(program.documents, bgfetch.home.file("away"))
    mkdir(program.documents, 0o755)

    let after = try await [bgfetch("check"), bgfetch("status", "--problems")]
    let object = try await bgfetch("status", "--problems", "--json").json.first

    let warning =
      "warning: \(program.documents): the directory that held downloads is gone or was replaced; mount it, or to start with an empty directory, mkdir -p \(program.documents)/.bgfetch"
    #expect(before.allSatisfy { !$0.errors.contains("files were placed there") })
    #expect(after.allSatisfy { $0.errors.contains(warning) && $0.status == 0 })
    #expect(object?["type"] as? String == "directory-gone")
    #expect(object?["directory"] as? String == program.documents)
  }

  @Test func `too little free space suspends transfers, and more resumes them`() async throws {
    let program = try program()
    try program.configure(freeSpace: "900TiB")

    let run = try await program.run()
    let left = try await program.unsettled()
    let asked = program.server.requests("/a.mp3").count
    try program.configure()
    try await program.settle(from: 6)

    #expect(run.status == 0 || run.status == 74)
    #expect(left.map { $0["status"] as? String } == ["suspended"])
    #expect(asked == 0)
    try program.expectSettled([Self.content])
  }

  @Test(.disabled(if: isSanitized, "a sanitizer writes a file of its own, which the limit cuts"))
  func `a file beyond the file size limit fails, leaves nothing, and can be retried`() async throws {
    let program = try program()
    try await program.run(at: 0, "--no-transfers")

    // In units of 512 bytes: half of the file.
    let limited = try await program.bgfetch.shell(
      "ulimit -f 600; BGFETCH_NOW=\(moment(hours: 1)) exec \"$BGFETCH\" run --json")
    let (placed, leftovers) = (program.placed, program.leftovers)
    _ = try await program.bgfetch("transfers", "retry", "planet")
    try await program.settle(from: 6)

    #expect(limited.status == 3 || limited.status == 74, "\(limited.errors)")
    #expect(placed == [] && leftovers == [])
    try program.expectSettled([Self.content], sessions: 2, failed: 1)
  }

  @Test(.enabled(if: mayMount)) func `a full disk suspends transfers, and free space resumes them`()
    async throws
  {
    let program = try program()
    let times = (1...4).map { moment(hours: $0 * 30) }
    let result = try await program.bgfetch.shell(
      """
      cat > "$HOME/inside" <<'END'
      mkdir -p "$HOME/documents"; mount -t tmpfs -o size=300k none "$HOME/documents"
      BGFETCH_NOW=\(times[0]) "$BGFETCH" run --json > "$HOME/full.json"; echo "status $?"
      BGFETCH_NOW=\(times[1]) "$BGFETCH" run --json > /dev/null; find "$HOME/documents" -name '*.mp3' | wc -l
      mount -o remount,size=4m "$HOME/documents"
      BGFETCH_NOW=\(times[2]) "$BGFETCH" run --json > "$HOME/room.json"
      BGFETCH_NOW=\(times[3]) "$BGFETCH" run --json > /dev/null
      find "$HOME/documents" -name '*.mp3' -exec cp '{}' "$HOME/got" ';'
      find "$HOME/documents/.bgfetch" -type f | wc -l
      END
      unshare -m sh "$HOME/inside"
      """)

    #expect(
      result.lines.map { $0.trimmingCharacters(in: .whitespaces) } == ["status 74", "0", "0"],
      "\(result.errors)")
    #expect(Self.content.isWhole(try readFile(program.bgfetch.home.file("got"))))
    #expect(program.count(of: "session-finished") == 1)
    #expect(program.count(of: "transfer-failed") == 0)
  }

  @Test func `partial files are inside the feed's own directory`() async throws {
    let program = try program(download: "directory: HOME/nas")

    try await program.settle()

    let own = program.bgfetch.home.file("nas")
    let files = DownloadProgram.files(below: own).filter { !$0.hasPrefix(".bgfetch/") }
    #expect(files.count == 1)
    #expect(Self.content.isWhole(try readFile(own + "/" + files[0])))
    #expect(program.placed == [])
  }

  @Test func `a removed directory is reported once per run`() async throws {
    let program = try DownloadProgram([
      "a.mp3": AssetFile(Self.content, inTurn: [.cut(after: 100_000)], []),
      "b.mp3": AssetFile(Self.content, inTurn: [.cut(after: 100_000)], []),
      "c.mp3": AssetFile(Self.content, inTurn: [.cut(after: 100_000)], []),
    ])
    try await program.run()
    try FileManager.default.moveItem(atPath: program.documents, toPath: program.documents + ".away")

    let run = try await program.run(at: 6)

    #expect(run.json.filter { $0["type"] as? String == "directory-gone" }.count == 1)
    #expect(try await program.unsettled(at: 6).allSatisfy { $0["status"] as? String == "suspended" })
  }
}
