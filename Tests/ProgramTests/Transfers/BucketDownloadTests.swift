// Downloads into a bucket of a real S3 server: whole or absent, never over a foreign object, and nothing lost.

import Foundation
import TestKit
import Testing

/// The program with a podcast whose files go to a bucket.
private struct BucketProgram {
  let program: DownloadProgram
  let bucket: TestBucket
  private let download: String

  init(_ files: KeyValuePairs<String, AssetFile>, download: String = "", network: String = "") throws {
    bucket = try TestBucket()
    program = try DownloadProgram(files, download: download, network: network)
    self.download = download
    try configure(network: network)
  }

  func configure(documents: String? = nil, network: String = "") throws {
    try program.configure(download: download, network: network)
    let text = try String(contentsOfFile: program.bgfetch.configurationPath, encoding: .utf8)
    let other = documents ?? bucket.yaml
    try text.replacingOccurrences(of: "documents: \(program.documents)", with: "documents: \(other)")
      .write(toFile: program.bgfetch.configurationPath, atomically: false, encoding: .utf8)
  }

  func started(at time: String, secret: String? = nil, _ words: [String] = []) throws -> RunningProgram {
    var environment = bucket.environment
    if let secret { environment["BGFETCH_TEST_S3_SECRET"] = secret }
    return try program.bgfetch.started(["run", "--json"] + words, at: time, environment: environment)
  }

  @discardableResult
  func run(at hours: Int = 0, secret: String? = nil) async throws -> Invoked {
    try await started(at: moment(hours: hours), secret: secret).ended()
  }

  /// The partial files of the machine.
  var spool: [String] { DownloadProgram.files(below: program.bgfetch.state + "/spool") }

  /// The name of the episode that has a file.
  static func name(_ file: String, day: Int = 28) -> String { "planet/2026-10-\(day) Title of \(file)" }
}

@Suite(.enabled(if: TestBucket.isThere, "beside an S3 server")) struct BucketDownloadTests {
  @Test func `files become whole objects, and every command names their addresses`() async throws {
    let contents = [FileContent(50_000, seed: 1), FileContent(60_000, seed: 2)]
    let world = try BucketProgram(["a.mp3": AssetFile(contents[0]), "b.mp3": AssetFile(contents[1])])

    let run = try await world.run()

    let names = [BucketProgram.name("b.mp3", day: 27), BucketProgram.name("a.mp3")]
    #expect(run.status == 0, "\(run.errors)")
    #expect(try await world.bucket.names() == names)
    #expect(contents[0].isWhole(try await world.bucket.object(names[1])))
    #expect(contents[1].isWhole(try await world.bucket.object(names[0])))
    #expect(world.spool == [])
    let address = world.bucket.address + "/planet/2026-10-28%20Title%20of%20a.mp3"
    let placed = world.program.events.first {
      $0["event"] as? String == "asset-placed" && ($0["item"] as? [String: Any])?["id"] as? String == "a.mp3"
    }
    let items = try await world.program.bgfetch("items", "--json")
    let line = try await world.program.bgfetch("items", "--format", "{asset.path}")
    let listed = try await world.program.bgfetch("transfers", "list", "--status", "finished", "--json").output
    #expect((placed?["asset"] as? [String: Any])?["path"] as? String == address, "\(world.program.events)")
    #expect(items.output.contains("\"path\":\"\(address)\""), "\(items.output)")
    #expect(line.lines.contains(address))
    #expect(listed.contains("\"\(address)\""))
    #expect(try await world.run(at: 2).status == 0)
    #expect(try await world.program.bgfetch("status", "--problems").status == 0)
  }

  @Test func `with a wrong secret nothing is lost, and the message says what to do`() async throws {
    let content = FileContent(50_000)
    let world = try BucketProgram(["a.mp3": AssetFile(content)])

    let wrong = try await world.run(secret: "wrong-secret")
    let waiting = try await world.program.transfers()
    let repeated = try await world.run(at: 1, secret: "wrong-secret")
    let missing = try await world.program.bgfetch("run", at: moment(hours: 2))
    let right = try await world.run(at: 3)

    #expect(wrong.status == 74)
    #expect(repeated.status == 74)
    #expect(missing.status == 74)
    #expect(
      wrong.errors.contains(
        "cannot write to \(world.bucket.address): the server does not accept the keys (SignatureDoesNotMatch); check access-key and secret-key"
      ),
      "\(wrong.errors)")
    #expect(missing.errors.contains("BGFETCH_TEST_S3_KEY"), "\(missing.errors)")
    #expect(!(wrong.errors + wrong.output + repeated.errors).contains("wrong-secret"))
    #expect(waiting.map { $0["status"] as? String } == ["suspended"])
    // Nothing is downloaded for a bucket that refuses.
    #expect(world.program.server.requests("/a.mp3").count == 1)
    #expect(right.status == 0, "\(right.errors)")
    #expect(content.isWhole(try await world.bucket.object(BucketProgram.name("a.mp3"))))
  }

  @Test func `while the server is away a complete file waits in the spool`() async throws {
    let content = FileContent(50_000)
    let world = try BucketProgram(["a.mp3": AssetFile(content)])
    let away = try ScriptedServer([:])
    // It has a list, but takes no object.
    away.on("/b") { _ in .status(200, [], body: "<ListBucketResult/>") }
    away.on("/b/\(BucketProgram.name("a.mp3").replacingOccurrences(of: " ", with: "%20"))") { request in
      .status(request.method == "HEAD" ? 404 : 503)
    }
    let keys =
      "access-key: {env: BGFETCH_TEST_S3_KEY}, secret-key: {env: BGFETCH_TEST_S3_SECRET}"
    try world.configure(documents: "{s3: \"\(away.url("/b"))\", \(keys)}")

    let first = try await world.run()
    let kept = world.spool
    let second = try await world.run(at: 1)

    #expect(first.status == 74)
    #expect(second.status == 74)
    #expect(first.errors.contains("the server is in trouble (503)"), "\(first.errors)")
    #expect(kept.count == 1)
    #expect(world.spool == kept)
    #expect(world.program.server.requests("/a.mp3").count == 1)
  }

  @Test func `a partial file is resumed in the spool`() async throws {
    let content = FileContent(90_000, seed: 4)
    let world = try BucketProgram(["a.mp3": AssetFile(content, .stall(after: 40_000))])
    let run = try world.started(at: moment())
    await world.program.server.sent(40_000, of: "/a.mp3")
    await run.ended(after: SIGTERM)
    world.program.server.serve(AssetFile(content), at: "/a.mp3")
    #expect(world.spool.count == 1)

    let second = try await world.run(at: 1)

    #expect(second.status == 0, "\(second.errors)")
    #expect(world.program.server.requests("/a.mp3").last?["Range"]?.hasPrefix("bytes=") == true)
    #expect(content.isWhole(try await world.bucket.object(BucketProgram.name("a.mp3"))))
    #expect(world.spool == [])
  }

  @Test func `a file of a feed of kind asset replaces its own object, and never another one`() async throws {
    let bucket = try TestBucket()
    let server = try ScriptedServer()
    let bgfetch = try BuiltProgram(
      configuration:
        "documents: \(bucket.yaml)\nfree-space: 1KiB\nbudget: none\nfeeds:\n  list: {url: \"\(server.url("/list.txt"))\", kind: asset}\n"
    )
    server.on("/list.txt", .document("one", type: "text/plain", etag: "\"1\""))
    let first = try await bgfetch("run", at: moment(), environment: bucket.environment)
    server.on("/list.txt", .document("two two", type: "text/plain", etag: "\"2\""))
    let second = try await bgfetch("run", at: moment(hours: 2), environment: bucket.environment)

    #expect(first.status == 0, "\(first.errors)\(second.errors)")
    #expect(second.status == 0, "\(first.errors)\(second.errors)")
    #expect(try await bucket.names() == ["list/list.txt"])
    #expect(try await bucket.object("list/list.txt") == Array("two two".utf8))

    try await bucket.put("list/list.txt", Array("mine".utf8))
    server.on("/list.txt", .document("three", type: "text/plain", etag: "\"3\""))
    _ = try await bgfetch("run", at: moment(hours: 4), environment: bucket.environment)

    #expect(try await bucket.object("list/list.txt") == Array("mine".utf8))
    #expect(try await bucket.object("list/list (2).txt") == Array("three".utf8))
  }
}
