// Uploads to a bucket: to a scripted server, and to a real one, which needs the variables that scripts/with-s3 sets.

import Core
import Foundation
import Synchronization
import TestKit
import Testing

@testable import Fleet
@testable import Machine

private func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

private let server = variable("BGFETCH_TEST_S3")

/// A body to upload.
private func body(_ content: FileContent) throws -> UploadBody {
  UploadBody(size: Int64(content.size), sha256: try content.sha256()) { buffer, offset in
    let bytes = content.bytes(Int(offset)..<min(Int(offset) + buffer.count, content.size))
    buffer.copyBytes(from: bytes)
    return bytes.count
  }
}

/// A bucket; each has keys of its own below the address.
private func bucket(
  _ address: String, mark: String = "mine", secret: String? = variable("BGFETCH_TEST_S3_SECRET"),
  timeout: Interval = .hours(1)
) -> Bucket {
  let spec = BucketSpec(address: address)
  var network = NetworkSettings()
  network.timeout = timeout
  network.stall.for = .hours(1)
  network.connectionsPerHost = 8
  return Bucket(
    spec, network: network, userAgent: "test", mark: mark, loop: loop(),
    keys: { [secret] in (variable("BGFETCH_TEST_S3_KEY") ?? "key", secret ?? "secret") },
    clock: ContinuousClock())
}

/// A loop that waits for no other request.
private func loop() -> CurlLoop {
  CurlLoop(
    connections: 8, proxies: .empty, ownAddresses: { [] }, netrcFile: "/nonexistent")
}

/// A file to place.
private typealias Upload = (placement: Placement, body: UploadBody)

private func upload(
  _ name: String, of transfer: Int64 = 1, _ content: FileContent = FileContent(5000), replaces: Bool = false
) throws -> Upload {
  let body = try body(content)
  var intent = PlacementIntent(
    directory: "", name: name, size: body.size, sha256: body.sha256, modified: nil,
    identity: FileIdentity(device: 0, inode: 0))
  intent.replaces = replaces
  return (Placement(transfer, intent), body)
}

extension Bucket {
  fileprivate func place(_ upload: Upload) async throws(DocumentsProblem) -> PlaceOutcome {
    try await place(upload.placement, upload.body)
  }
}

@Suite(.timeLimit(.minutes(15)), .enabled(if: server != nil, "beside an S3 server")) struct BucketTests {
  private let address = (server ?? "") + "/" + UUID().uuidString

  @Test(arguments: ["a.mp3", "Ein Stück (1) & mehr+%.mp3", "d/e f/'*!;=@,:$~.bin", "日本/👍"])
  func `a file becomes an object that its transfer recognises`(name: String) async throws {
    let bucket = bucket(address)

    #expect(try await bucket.object(name) == nil)
    #expect(try await bucket.place(try upload(name)) == .placed)

    let found = try #require(try await bucket.object(name))
    #expect(found.transfer == 1)
    #expect(found.size == 5000)
    #expect(found.sha256 == (try FileContent(5000).sha256()))
    #expect(try await bucket.place(try upload(name)) == .placed)
  }

  @Test func `nothing but the same transfer gets a name that is taken`() async throws {
    let (ours, others) = (bucket(address), bucket(address, mark: "others"))
    #expect(try await others.place(try upload("a")) == .placed)
    #expect(try await ours.place(try upload("b", of: 1)) == .placed)

    #expect(try await ours.place(try upload("a", FileContent(10))) == .nameTaken)
    #expect(try await ours.place(try upload("a", FileContent(10), replaces: true)) == .nameTaken)
    #expect(try await ours.place(try upload("b", of: 2, FileContent(10))) == .nameTaken)
    #expect(try await others.object("a")?.size == 5000)

    // Bytes of an earlier attempt of the transfer, and those of an earlier body of a feed, are replaced.
    #expect(try await ours.place(try upload("b", of: 1, FileContent(10))) == .placed)
    #expect(try await ours.object("b")?.size == 10)
    #expect(try await ours.place(try upload("b", of: 2, FileContent(20), replaces: true)) == .placed)
    #expect(try await ours.object("b")?.size == 20)
  }

  @Test func `of uploads to one name at the same time one gets it, and it is whole`() async throws {
    let bucket = bucket(address)

    let outcomes = try await withThrowingTaskGroup(of: (Int64, PlaceOutcome).self) { group in
      for number in 1...8 as ClosedRange<Int64> {
        group.addTask {
          (
            number,
            try await bucket.place(try upload("a", of: number, FileContent(100_000, seed: UInt64(number))))
          )
        }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }

    let winners = outcomes.filter { $0.value == .placed }.keys
    let found = try #require(try await bucket.object("a"))
    #expect(winners.count == 1)
    #expect(found.transfer == winners.first)
    #expect(found.sha256 == (try FileContent(100_000, seed: UInt64(winners.first ?? 0)).sha256()))
  }

  @Test func `only objects of the store are removed, and only in their size`() async throws {
    let (ours, others) = (bucket(address), bucket(address, mark: "others"))
    _ = try await ours.place(try upload("a"))
    _ = try await others.place(try upload("b"))

    #expect(try await !ours.remove("a", ofSize: 4999))
    #expect(try await !ours.remove("b", ofSize: 5000))
    #expect(try await !ours.remove("b", ofSize: nil))
    #expect(try await !ours.remove("c", ofSize: nil))
    #expect(try await ours.object("a") != nil)
    #expect(try await ours.remove("a", ofSize: 5000))
    #expect(try await ours.object("a") == nil)
    #expect(try await others.object("b") != nil)
  }

  @Test func `a wrong secret is a problem of the bucket that says what to do`() async throws {
    let bucket = bucket(address, secret: "wrong")
    let expected = DocumentsProblem.denied(
      path: address,
      detail: "the server does not accept the keys (SignatureDoesNotMatch); check access-key and secret-key")

    #expect(await bucket.check() == expected)
    await #expect(throws: expected) { try await bucket.object("a") }
    await #expect(throws: expected) { try await bucket.place(try upload("a")) }
  }

  @Test func `a bucket that is missing is named`() async throws {
    let address = (server ?? "") + "-missing/x"

    #expect(
      await bucket(address).check()
        == .denied(path: address, detail: "there is no such bucket (NoSuchBucket); create it, or correct s3"))
  }
}

@Suite(.timeLimit(.minutes(15))) struct ScriptedBucketTests {
  private func failure(_ bucket: Bucket, _ upload: Upload) async -> DocumentsProblem? {
    do throws(DocumentsProblem) {
      _ = try await bucket.place(upload)
      return nil
    } catch {
      return error
    }
  }

  @Test func `a busy server is asked again, and a cut upload is sent again whole`() async throws {
    let server = try ScriptedServer()
    let bodies = Mutex<[Int]>([])
    let turns = Mutex(0)
    server.on("/b/a") { request in
      guard request.method == "PUT" else { return .status(404) }
      bodies.withLock { $0.append(request.body.count) }
      return
        switch turns.withLock({ turn in
          turn += 1; return turn
        })
      {
      case 1: .status(503)
      case 2: .raw(.close)
      default: .status(200)
      }
    }

    #expect(try await bucket(server.url("/b")).place(try upload("a")) == .placed)

    #expect(bodies.withLock { $0 } == [5000, 5000, 5000])
    let puts = server.requests.filter { $0.method == "PUT" }
    #expect(puts.allSatisfy { $0["If-None-Match"] == "*" && $0["x-amz-meta-bgfetch"] == "mine/1" })
    #expect(puts.allSatisfy { $0["Authorization"]?.hasPrefix("AWS4-HMAC-SHA256 Credential=") == true })
    #expect(server.requests.allSatisfy { !"\($0.target) \($0.fields)".contains("secret") })
  }

  @Test func `a redirect is not followed`() async throws {
    let (server, other) = (try ScriptedServer(), try ScriptedServer())
    server.on("/b/a", .redirect(307, to: other.url("/b/a")))

    let problem = await failure(bucket(server.url("/b")), try upload("a"))

    #expect(
      problem
        == .denied(
          path: server.url("/b"),
          detail: "the bucket is in another place (307); correct s3 and region"))
    #expect(other.requests.isEmpty)
    #expect(server.requests.count == 1)
  }

  @Test func `an endless answer is given up`() async throws {
    let server = try ScriptedServer(["/b": .body(.endless(Array("<Contents>".utf8)), framing: .close)])

    guard case .denied(_, let detail)? = await bucket(server.url("/b")).check() else {
      Issue.record("no problem")
      return
    }
    #expect(detail.contains("larger than 65.5 kB"), "\(detail)")
  }

  @Test(arguments: [
    (200, "larger than 65.5 kB"), (403, "refuses access (403)"), (400, "the server answered 400"),
  ])
  func `an endless answer about an object is given up soon, and its status counts`(
    status: Int, said: String
  ) async throws {
    let server = try ScriptedServer()
    server.on("/b/a") { request in
      guard request.method == "PUT" else { return .status(404) }
      var answer = ScriptedAnswer.status(status)
      answer.steps = [.endless(Array("<Code>".utf8))]
      answer.framing = .close
      return answer
    }

    let problem = await failure(bucket(server.url("/b")), try upload("a"))

    #expect("\(String(describing: problem))".contains(said), "\(String(describing: problem))")
  }

  @Test func `a server that does not answer is given up`() async throws {
    let server = try ScriptedServer(["/b": .body(.hold, framing: .declared(10))])

    #expect(await bucket(server.url("/b"), timeout: .seconds(1)).check() != nil)
  }

  @Test func `a key that is too long is refused before anything is sent`() async throws {
    let server = try ScriptedServer()
    let name = String(repeating: "é", count: 512)

    let problem = await failure(bucket(server.url("/b/d")), try upload(name))

    guard case .nameRefused(_, "the key is longer than 1024 bytes")? = problem else {
      Issue.record("\(String(describing: problem))")
      return
    }
    #expect(server.requests.isEmpty)
  }
}
