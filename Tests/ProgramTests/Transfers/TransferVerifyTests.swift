// The downloaded files beside the state, and the proxy of a bucket.

import Foundation
import Synchronization
import TestKit
import Testing

/// The sizes of the objects of a server that takes any request, and lists two objects at a time.
private final class ListedBucket: Sendable {
  private let sizes = Mutex<[String: Int]>([:])

  func server() throws -> ScriptedServer { try ScriptedServer { [self] in answer($0) } }

  subscript(name: String) -> Int? {
    get { sizes.withLock { $0["/b/" + name] } }
    set { sizes.withLock { $0["/b/" + name] = newValue } }
  }

  private func answer(_ request: ReceivedRequest) -> ScriptedAnswer {
    sizes.withLock { sizes in
      if request.path == "/b" {
        let start =
          URLComponents(string: request.target)?.queryItems?.first { $0.name == "start-after" }?.value ?? ""
        let listed = sizes.sorted { $0.key < $1.key }.filter { $0.key.dropFirst(3) > start }
        let objects = listed.prefix(2).map {
          "<Contents><Key>\($0.key.dropFirst(3))</Key><Size>\($0.value)</Size></Contents>"
        }
        return .status(
          200, [], body: "<L><IsTruncated>\(listed.count > 2)</IsTruncated>\(objects.joined())</L>")
      }
      if request.method == "PUT" { sizes[request.path] = request.body.count }
      return .status(request.method == "PUT" ? 200 : 404)
    }
  }

  static func yaml(_ server: ScriptedServer) -> String {
    "documents: {s3: \"\(server.url("/b"))\", access-key: K, secret-key: {env: SECRET}}\n"
  }
}

@Suite struct TransferVerifyTests {
  @Test func `missing and unknown files of a directory are listed`() async throws {
    let contents = [FileContent(50_000, seed: 1), FileContent(60_000, seed: 2)]
    let program = try DownloadProgram(["a.mp3": AssetFile(contents[0]), "b.mp3": AssetFile(contents[1])])
    try await program.settle()
    try await program.bgfetch("transfers", "verify", status: 0, prints: "2 files, all as the state says\n")

    unlink(program.documents + "/" + program.placed[0])
    _ = try program.bgfetch.home.write("mine", to: "documents/planet/mine.txt")
    let found = try await program.bgfetch("transfers", "verify", "--json", status: 3)

    #expect(found.json.map { $0["type"] as? String } == ["missing", "unknown"])
    #expect(found.json.map { ($0["path"] as? String)?.hasSuffix("/mine.txt") } == [false, true])
    #expect(found.json[0]["feed"] as? String == "planet")
    #expect(found.json[1]["found"] as? Int == 4)
  }

  @Test func `objects of a bucket are compared by lists, and feeds' proxy is not used for it`() async throws {
    let bucket = ListedBucket()
    let server = try bucket.server()
    let proxy = try ScriptedServer { request in
      request.target.hasPrefix("http://list.example/") ? .document("one", type: "text/plain") : .status(404)
    }
    let bgfetch = try BuiltProgram()
    func configure(_ documents: String) throws {
      try bgfetch.configure(
        documents + "free-space: 1KiB\nnetwork: {proxy: \"\(proxy.origin)\"}\nfeeds:\n"
          + (1...5).map {
            "  l\($0): {url: \"http://list.example/\($0).txt\", kind: asset, minimum-interval: every-run}\n"
          }
          .joined())
    }
    let environment = ["SECRET": "geheim"]
    try configure(ListedBucket.yaml(server))

    let run = try await bgfetch("run", environment: environment)
    try await bgfetch(
      "transfers", "verify", environment: environment, status: 0, prints: "5 files, all as the state says\n")
    bucket["l2/2.txt"] = nil
    bucket["l3/3.txt"] = 1
    bucket["other"] = 7
    let found = try await bgfetch("transfers", "verify", "--json", environment: environment, status: 3)
    let text = try await bgfetch("transfers", "verify", environment: environment, status: 3)

    #expect(run.status == 0, "\(run.errors)")
    #expect(
      found.json.map { $0["type"] as? String } == ["missing", "different-size", "unknown"], "\(text.output)")
    #expect(found.json.map { $0["found"] as? Int } == [nil, 1, 7])
    #expect(text.output.contains("missing: \(server.url("/b/l2/2.txt")), of l2"), "\(text.output)")
    #expect(!server.requests.contains { $0.method == "GET" && $0.path != "/b" })
    #expect(proxy.requests.allSatisfy { $0.target.hasPrefix("http://list.example/") })

    // The proxy of the environment is.
    let own = try ScriptedServer { _ in .status(503) }
    let proxied = environment.merging(["http_proxy": own.origin]) { $1 }
    let refused = try await bgfetch("transfers", "verify", environment: proxied)
    #expect(refused.status == 74, "\(refused.errors)")
    #expect(refused.errors.contains("the server is in trouble"), "\(refused.errors)")
    #expect(own.requests.allSatisfy { $0.target.hasPrefix(server.url("/b")) })
    #expect(!own.requests.isEmpty)
  }
}
