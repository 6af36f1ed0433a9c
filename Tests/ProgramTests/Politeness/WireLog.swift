// The requests to the hosts of an internet, as they see them: when each request arrives, and when it is answered.

import Foundation
import Synchronization
import TestKit

/// A proxy that answers for every public host, and judges how politely they were asked.
final class WireLog: Sendable {
  /// A request as its host saw it.
  struct Request: Sendable {
    let host: String
    let path: String
    let arrived: ContinuousClock.Instant
    var answered: ContinuousClock.Instant?
  }

  let proxy: ScriptedServer
  private let log: Log

  private final class Log: Sendable {
    let requests = Mutex<[Request]>([])
  }

  /// - Parameter answer: the answer to a request, made before it counts as answered; it may wait.
  init(_ answer: @escaping @Sendable (_ host: String, _ path: String) -> ScriptedAnswer) throws {
    let log = Log()
    self.log = log
    proxy = try ScriptedServer { request in
      let host = URL(string: request.target)?.host ?? ""
      let place = log.requests.withLock { requests in
        requests.append(Request(host: host, path: request.path, arrived: .now))
        return requests.count - 1
      }
      let answer = answer(host, request.path)
      log.requests.withLock { $0[place].answered = .now }
      return answer
    }
  }

  var requests: [Request] { log.requests.withLock { $0 } }

  /// Waits until a path of a host was asked for.
  func received(_ path: String, from host: String) async -> Bool {
    await eventually { self.requests.contains { $0.host == host && $0.path == path } }
  }

  /// Waits for so many more requests.
  func received(_ count: Int) async -> Bool {
    let before = requests.count
    return await eventually { self.requests.count >= before + count }
  }

  /// The pairs of requests to a host that follow each other sooner than its delay, or overlap.
  func impolite(delay: Duration) -> [String] {
    Dictionary(grouping: requests, by: \.host).flatMap { host, requests in
      zip(requests, requests.dropFirst()).compactMap { first, second in
        let gap = second.arrived - first.arrived
        let overlaps = first.answered.map { $0 > second.arrived } ?? true
        guard gap < delay || overlaps else { return nil }
        return "\(host): \(first.path) and \(second.path) after \(gap)\(overlaps ? ", overlapping" : "")"
      }
    }
  }
}
