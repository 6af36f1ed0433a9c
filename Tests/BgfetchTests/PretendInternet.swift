// Hosts of the public Internet, played by one server that the program uses as its proxy.

import Foundation
import Synchronization
import TestKit

/// Hosts of the public Internet by whole addresses; what has no answer is 404.
final class PretendInternet: Sendable {
  private final class Answers: Sendable {
    let byAddress = Mutex<[String: ScriptedAnswer]>([:])
  }

  /// The proxy.
  let server: ScriptedServer
  private let answers: Answers

  init() throws {
    let answers = Answers()
    self.answers = answers
    server = try ScriptedServer { request in
      answers.byAddress.withLock { $0[request.target] } ?? .status(404)
    }
  }

  /// The answer to an address from now on.
  subscript(address: String) -> ScriptedAnswer {
    get { answers.byAddress.withLock { $0[address] } ?? .status(404) }
    set { answers.byAddress.withLock { $0[address] = newValue } }
  }

  /// Answers every address that was set like this from now on.
  func answerAll(_ answer: ScriptedAnswer) {
    answers.byAddress.withLock { all in all = all.mapValues { _ in answer } }
  }

  /// The addresses asked so far, in order.
  var asked: [String] { server.requests.map(\.target) }

  /// A configuration of feeds by name and address, that uses this Internet without delays.
  func configuration(_ feeds: KeyValuePairs<String, String>, network: String = "") -> String {
    "budget: {fetch: none}\nnetwork: {proxy: \"\(server.origin)\", delay-per-host: 0s\(network)}\ndefaults: {first-run: all}\nfeeds:\n"
      + feeds.map { "  \($0.key): \"\($0.value)\"\n" }.joined()
  }
}

/// A feed with items of these ids and an `ETag` made of them.
func feedAnswer(_ ids: String...) -> ScriptedAnswer {
  .document(rss(ids.map { ($0, "Title of \($0)") }), etag: "\"\(ids.joined(separator: "-"))\"")
}

extension BuiltProgram {
  /// Runs it at a moment, so many hours after the test's beginning.
  func at(hours: Int, _ arguments: String...) async throws -> Invoked {
    let moment = Date(timeIntervalSince1970: 1_793_613_600 + Double(hours) * 3600)
    return try await started(
      arguments, environment: ["BGFETCH_NOW": ISO8601DateFormatter().string(from: moment)]
    ).ended()
  }
}
