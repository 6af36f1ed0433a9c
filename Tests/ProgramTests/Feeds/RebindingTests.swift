// DNS rebinding: public names must not lead into the home network, but feeds at home must work.

import Foundation
import TestKit
import Testing

@Suite(
  .enabled(if: HomeNetwork.canBeMade, "needs root and network namespaces, for names whose addresses change"),
  .timeLimit(.minutes(15)))
struct RebindingTests {
  /// Forbidden for public feeds: the home network, this machine, its own public address.
  static let inside = ["192.168.1.1", "127.0.0.1", "93.184.215.99", "fd00:1::5"]

  private static let outside = "93.184.215.34"

  private static func host(_ address: String) -> String { address.contains(":") ? "[\(address)]" : address }

  private func secret(_ home: HomeNetwork, _ address: String) throws -> ScriptedServer {
    let server = try home.server(address)
    server.on("/feed", .document(rss([("secret", "Secret")])))
    server.on("/a.mp3", .document("secret", type: "audio/mpeg"))
    return server
  }

  @Test(arguments: inside)
  func `items of a public feed reach no private address`(address: String) async throws {
    let home = try HomeNetwork()
    let inner = try secret(home, address)
    let feeds = try home.server(Self.outside)
    home.names.set("feeds.example", inTurn: [Self.outside], [address])
    home.names["other.example"] = [address]
    feeds.podcast(
      ["feeds.example", "other.example", Self.host(address)].map { "http://\($0):\(inner.port)/a.mp3" })
    try home.configure("  planet: {url: \"http://feeds.example:\(feeds.port)/feed\", download: {}}")

    let run = try await home.run("run", "--json")

    #expect(feeds.requests("/feed").count == 1, "\(run.errors)")
    #expect(inner.connections == 0, "\(run.errors)")
    let reasons = try await home.reasons()
    #expect(reasons.count == 3)
    #expect(reasons.allSatisfy { $0.hasSuffix("; see network.private-addresses") && $0.hasPrefix("led to") })
  }

  @Test(arguments: inside)
  func `a redirect of a public feed to itself reaches no private address`(address: String) async throws {
    let home = try HomeNetwork()
    let inner = try secret(home, address)
    let feeds = try home.server(Self.outside)
    // libcurl resolves the name again for another port.
    home.names.set("feeds.example", inTurn: [Self.outside], [address])
    feeds.on("/feed", .redirect(to: "http://feeds.example:\(inner.port)/feed"))
    try home.configure("  planet: \"http://feeds.example:\(feeds.port)/feed\"")

    let run = try await home.run("run", "--json")

    #expect(feeds.requests.count == 1)
    #expect(home.names.questions("feeds.example") == 2)
    #expect(inner.connections == 0)
    #expect((run.json.first?["reason"] as? String)?.hasPrefix("led to") == true)
  }

  @Test func `a transfer of a public feed that became private reaches no private address`() async throws {
    let home = try HomeNetwork()
    let feeds = try home.server(Self.outside)
    let inner = try home.others.inside { [port = feeds.port] () throws(SocketProblem) in
      try ScriptedServer(on: "192.168.1.5", port: port) { _ in .status(304) }
    }
    feeds.on(
      "/feed",
      .document(
        podcast([Episode(id: "1", url: "http://192.168.1.5:\(inner.port)/a.mp3")]),
        lastModified: "Fri, 01 Jan 2100 00:00:00 GMT"))
    home.names["feeds.example"] = [Self.outside]
    try home.configure("  planet: {url: \"http://feeds.example:\(feeds.port)/feed\", download: {}}")
    try await home.run("run", "--no-transfers")

    // An address of the configuration may be private, so the fetch itself goes there.
    home.names["feeds.example"] = ["192.168.1.5"]
    let later = try await home.run(at: 12, "run", "--json")

    #expect(inner.requests.map(\.path) == ["/feed"], "\(later.errors)")
    #expect(try await home.reasons().first?.hasPrefix("led to the private address 192.168.1.5") == true)
  }

  @Test func `an item that looks like one of a push reaches no private address`() async throws {
    let home = try HomeNetwork()
    let feeds = try home.server(Self.outside)
    let inner = try home.others.inside { [port = feeds.port] () throws(SocketProblem) in
      try ScriptedServer(on: "192.168.1.1", port: port) { _ in .document("file", type: "audio/mpeg") }
    }
    home.names.set("feeds.example", inTurn: [Self.outside], ["192.168.1.1"])
    let files = "http://feeds.example:\(feeds.port)/files"
    feeds.podcast([files + "/reboot.cgi"])
    let keys = "url: \"http://feeds.example:\(feeds.port)/feed\", push: {url: \"\(files)/{content-id}\"}"
    try home.configure("  planet: {\(keys), download: {}}")
    try await home.run("run")
    #expect(inner.connections == 0)

    // The user wrote push.url; the push only adds a path below it.
    for id in ["../admin", "%2e%2e%2fadmin", "x/../../admin"] {
      #expect(try await home.run("push", "--feed", "planet", "--set", "content-id=\(id)").status != 0)
    }
    try await home.run("push", "--feed", "planet", "--set", "content-id=42")
    try await home.run(at: 1, "run")
    #expect(inner.requests.map(\.path).filter { $0 != "/feed" } == ["/files/42"])
  }

  // MARK: Private feeds

  @Test func `other private addresses of a host are skipped`() async throws {
    let home = try HomeNetwork()
    home.names["nas.lan"] = ["fd00:1::5", "192.168.1.5", "192.168.1.1"]
    let nas = try home.server("192.168.1.5")
    let files = try home.others.inside { () throws(SocketProblem) in
      try ScriptedServer(on: "::") { _ in .document("file", type: "audio/mpeg") }
    }
    nas.podcast(["http://nas.lan:\(files.port)/1.mp3"])
    try home.configure("  planet: {url: \"http://nas.lan:\(nas.port)/feed\", download: {}}")

    let run = try await home.run("run")

    #expect(home.files == 1, "\(run.errors)")
  }

  @Test func `a feed at this machine's own public address downloads its files`() async throws {
    let home = try HomeNetwork()
    home.names["me.example"] = ["93.184.215.99"]
    let own = try secret(home, "93.184.215.99")
    own.podcast(["http://me.example:\(own.port)/a.mp3"])
    try home.configure("  planet: {url: \"http://me.example:\(own.port)/feed\", download: {}}")

    let run = try await home.run("run")

    #expect(home.files == 1, "\(run.errors)")
  }

  @Test(arguments: ["allow", "[192.168.0.0/16]"])
  func `items reach private addresses if the configuration allows it`(rule: String) async throws {
    let home = try HomeNetwork()
    let (feeds, inner) = (try home.server(Self.outside), try secret(home, "192.168.1.1"))
    home.names["feeds.example"] = [Self.outside]
    home.names["other.example"] = ["192.168.1.1"]
    feeds.podcast(["http://other.example:\(inner.port)/a.mp3"])
    let feed = "{url: \"http://feeds.example:\(feeds.port)/feed\", download: {}}"
    try home.configure("  planet: \(feed)", network: "private-addresses: \(rule)")

    let run = try await home.run("run")

    #expect(home.files == 1, "\(run.errors)")
  }
}

// A home network with the machine that fetches, devices that must not be reached, and the Internet outside.

extension ScriptedServer {
  /// Serves a podcast at `/feed`, with an `ETag`, whose episodes have these addresses.
  fileprivate func podcast(_ urls: [String]) {
    let episodes = urls.enumerated().map { Episode(id: "\($0 + 1)", url: $1) }
    on("/feed", .document(ProgramTests.podcast(episodes), etag: "\"1\""))
  }
}

/// The program in its own network namespace, with a name server whose answers change.
///
/// The machine has 192.168.1.2, fd00:1::2 and the public 93.184.215.99; the others have the addresses of `others`.
final class HomeNetwork: Sendable {
  let machine: NetworkNamespace
  let others: NetworkNamespace
  let names: NameServer
  let bgfetch: BuiltProgram

  /// Addresses of the Internet and of the home network that are not this machine's.
  static let others = [
    "93.184.215.34/32", "93.184.215.35/32", "2606:2800:220:1::34/128", "2606:2800:220:64::c0a8:101/128",
    "192.168.1.1/24", "192.168.1.5/24", "192.168.1.6/24", "fd00:1::5/64", "169.254.169.254/32",
  ]

  /// Whether this process may create networks and bind mounts.
  static let canBeMade = mayMount && (try? HomeNetwork()) != nil

  init() throws {
    machine = try NetworkNamespace()
    others = try NetworkNamespace()
    try machine.connect(["192.168.1.2/24", "fd00:1::2/64"], to: others, Self.others)
    try machine.add("93.184.215.99/32", to: "lo")
    try machine.ip("route", "add", "default", "via", "192.168.1.1")
    try machine.ip("route", "add", "default", "via", "fd00:1::5")
    names = try NameServer(in: machine)
    bgfetch = try BuiltProgram()
    try bgfetch.home.write("nameserver 127.0.0.1\noptions timeout:5 attempts:6\n", to: "resolv.conf")
    try bgfetch.home.write("hosts: dns\n", to: "nsswitch.conf")
  }

  /// A server at an address of this machine or of another one.
  func server(_ address: String) throws -> ScriptedServer {
    let isOwn = ["127.", "::1", "192.168.1.2", "fd00:1::2", "93.184.215.99"].contains(
      where: address.hasPrefix)
    return try (isOwn ? machine : others).inside { () throws(SocketProblem) in try ScriptedServer(on: address)
    }
  }

  /// Writes a configuration with these feeds, as lines of YAML.
  func configure(_ feeds: String, network: String = "") throws {
    try bgfetch.configure(
      """
      documents: HOME/documents
      free-space: 1KiB
      budget: none
      network: {delay-per-host: 0s, proxy: none\(network.isEmpty ? "" : ", " + network)}
      defaults: {first-run: all, minimum-interval: every-run}
      feeds:
      \(feeds)
      """)
  }

  /// Runs the program to its end, this many hours after the first run.
  @discardableResult
  func run(at hours: Int = 0, _ arguments: String...) async throws -> Invoked {
    let script = """
      mount --bind "$HOME/resolv.conf" /etc/resolv.conf && mount --bind "$HOME/nsswitch.conf" /etc/nsswitch.conf \
      && exec "$BGFETCH" "$@"
      """
    let running = try machine.inside { [bgfetch] in
      try bgfetch.startedShell(
        ["-c", "exec unshare -m sh -c '\(script)' sh \"$@\"", "sh"] + arguments,
        environment: ["BGFETCH_NOW": moment(hours: hours)])
    }
    return await running.ended()
  }

  /// The reasons of the transfers that are not complete.
  func reasons() async throws -> [String] {
    try await bgfetch("transfers", "list", "--json").json.compactMap { $0["reason"] as? String }
  }

  /// The number of placed files.
  var files: Int {
    DownloadProgram.files(below: bgfetch.home.file("documents")).count { !$0.hasPrefix(".bgfetch/") }
  }
}
