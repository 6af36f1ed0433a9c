// A home with a machine that fetches, beside it what nobody from outside may reach, and before the door the Internet.

import Foundation
import TestKit

/// The program in a network of its own, with a name server whose answers change.
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

  /// Whether this process may make networks and mount files over others, and has the programs for it.
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

  /// A server at an address, of this machine or of another one.
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

  /// Runs the program to its end, so many hours after the first time.
  @discardableResult
  func run(at hours: Int = 0, _ arguments: String...) async throws -> Invoked {
    let script = """
      mount --bind "$HOME/resolv.conf" /etc/resolv.conf && mount --bind "$HOME/nsswitch.conf" /etc/nsswitch.conf \
      && exec "$BGFETCH" "$@"
      """
    let moment = Date(timeIntervalSince1970: 1_793_613_600 + Double(hours) * 3600).formatted(.iso8601)
    let running = try machine.inside { [bgfetch] in
      try bgfetch.startedShell(
        ["-c", "exec unshare -m sh -c '\(script)' sh \"$@\"", "sh"] + arguments,
        environment: ["BGFETCH_NOW": moment])
    }
    return await running.ended()
  }

  /// The reasons of the transfers that are not there yet.
  func reasons() async throws -> [String] {
    try await run(0, "transfers", "list", "--json").json.compactMap { $0["reason"] as? String }
  }

  /// How many files were placed.
  var files: Int {
    DownloadProgram.files(below: bgfetch.home.file("documents")).count { !$0.hasPrefix(".bgfetch/") }
  }

  private func run(_ hours: Int, _ arguments: String...) async throws -> Invoked {
    try await bgfetch.started(arguments, environment: [:]).ended()
  }
}
