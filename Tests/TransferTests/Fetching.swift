// How the tests fetch: a loop, a request made from text, and its outcome as a value.

import Model
import Testing
import Timing
import Transfer

/// A loop without a proxy and without the user's netrc.
func makeLoop(
  connections: Int = 8, connectionsPerHost: Int = 4, proxies: ProxyEnvironment = .empty,
  netrcFile: String = "/nonexistent"
) -> TransferLoop {
  TransferLoop(
    connections: connections, connectionsPerHost: connectionsPerHost, proxies: proxies, netrcFile: netrcFile)
}

/// A request with the given fields and nothing else.
func request(
  _ url: String, _ fields: [HeaderField] = [], _ change: (inout Request) -> Void = { _ in }
) throws -> Request {
  var request = Request(
    address: try #require(WebAddress(url)), fields: fields, network: NetworkSettings())
  // Unless a test is about that, the loop alone says how many go to one host.
  request.network.connectionsPerHost = 100
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
