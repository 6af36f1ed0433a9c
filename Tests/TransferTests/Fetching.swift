// How the tests fetch: a loop, a request made from text, and its outcome as a value.

import Core
import Testing
import Transfer

extension Trait where Self == TimeLimitTrait {
  /// Ends a test that hangs, and no other.
  ///
  /// All tests begin at once and wait for a thread, so a test's time is that of all tests before it: minutes on a busy
  /// machine.
  static var unlessItHangs: Self { .timeLimit(.minutes(15)) }
}

/// The address of a host that no machine can look up, whatever its resolver answers to unknown names: no part of a
/// host's name may have more than 63 letters (RFC 1035 §2.3.4), so that nobody is asked.
let unresolvableHost = String(repeating: "a", count: 64) + ".invalid"

/// A loop without a proxy and without the user's netrc.
func makeLoop(
  connections: Int = 8, connectionsPerHost: Int = 4, proxies: ProxyEnvironment = .empty,
  ownAddresses: [String] = [], netrcFile: String = "/nonexistent"
) -> TransferLoop {
  let ownAddresses = ownAddresses.compactMap(NetworkAddress.init)
  return TransferLoop(
    connections: connections, connectionsPerHost: connectionsPerHost, proxies: proxies,
    ownAddresses: { ownAddresses }, netrcFile: netrcFile)
}

/// A request with the given fields and nothing else, and with limits of time that no test reaches unless it sets them.
func request(
  _ url: String, _ fields: [HeaderField] = [], _ change: (inout Request) -> Void = { _ in }
) throws -> Request {
  var request = Request(
    address: try #require(WebAddress(url)), fields: fields, network: NetworkSettings())
  // Unless a test is about that, the loop alone says how many go to one host.
  request.network.connectionsPerHost = 100
  request.network.connectTimeout = .minutes(10)
  request.network.timeout = .minutes(10)
  request.network.stall.for = .minutes(10)
  change(&request)
  return request
}

extension TransferLoop {
  /// Fetches and gives what came of it, failures included.
  func outcome(_ request: Request) async -> Result<Response, FetchFailure> {
    do throws(FetchFailure) {
      return .success(try await fetch(request))
    } catch {
      return .failure(error)
    }
  }

  /// The failure of a fetch that must fail.
  func failure(_ request: Request) async -> FetchFailure? {
    switch await outcome(request) {
    case .failure(let failure): failure
    case .success(let response):
      Issue.record("answered \(response.status), \(response.body.count) bytes") as FetchFailure?
    }
  }
}

extension Issue {
  fileprivate static func record(_ text: String) -> FetchFailure? {
    record(Comment(rawValue: text))
    return nil
  }
}

extension Response {
  /// The body as text.
  var text: String { String(decoding: body, as: UTF8.self) }
}
