// A real HTTP/1.1 server that does what a test tells it, also what no server should, and remembers every
// request. Its threads and sockets are ServerCore's business.

/// Gives the answer to a request.
public typealias Route = @Sendable (ReceivedRequest) -> ScriptedAnswer

/// An HTTP/1.1 server on a loopback address and a free port, for one test.
///
/// It stops, and all its threads end, when the value goes or `stop()` is called. A route must not hold on to
/// the server itself: `ReceivedRequest.origin` names it.
///
/// ```swift
/// let server = try ScriptedServer(["/feed": .document("<rss/>", etag: "\"1\"")])
/// … fetch server.url("/feed") …
/// #expect(server.requests("/feed").count == 1)
/// ```
public final class ScriptedServer: Sendable {
  private let core: ServerCore

  /// Starts a server whose routes answer every time alike; any other path is answered with 404.
  ///
  /// - Parameters:
  ///   - routes: answers by path, without query.
  ///   - address: `127.0.0.1`, another address of 127.0.0.0/8, or `::1`.
  /// - Throws: `SocketProblem` where the address cannot be listened on.
  public convenience init(_ routes: [String: ScriptedAnswer] = [:], on address: String = "127.0.0.1")
    throws(SocketProblem)
  {
    try self.init(on: address) { _ in .status(404) }
    for (path, answer) in routes { self.on(path, answer) }
  }

  /// Starts a server that asks one closure for every answer, a proxy for example; port 0 is any that is free.
  public init(on address: String = "127.0.0.1", port: Int = 0, answering: @escaping Route)
    throws(SocketProblem)
  {
    core = try ServerCore(on: address, port: port, answering: answering)
  }

  deinit { core.stop() }

  /// Answers a path like this from now on.
  public func on(_ path: String, _ answer: ScriptedAnswer) {
    core.route(path) { _ in answer }
  }

  /// Answers a path by this closure from now on; it runs on the connection's thread.
  public func on(_ path: String, _ route: @escaping Route) {
    core.route(path, route)
  }

  /// Answers a path with one answer after the other, and with the last one for good.
  public func on(_ path: String, inTurn answers: ScriptedAnswer...) {
    core.route(path, inTurn: answers)
  }

  /// Ends every connection and thread; afterwards connections are refused.
  public func stop() { core.stop() }

  /// The port.
  public var port: Int { core.port }

  /// `http://address:port`.
  public var origin: String { core.origin }

  /// The whole address of a path.
  public func url(_ path: String) -> String { core.origin + path }

  /// All requests in the order they came.
  public var requests: [ReceivedRequest] { core.record.requests }

  /// The requests to one path, in order.
  public func requests(_ path: String) -> [ReceivedRequest] { requests.filter { $0.path == path } }

  /// The most requests that were under way at once.
  public var mostAtOnce: Int { core.record.mostAtOnce }

  /// How many connections were made.
  public var connections: Int { core.record.connections }

  /// How many connections have ended.
  public var closedConnections: Int { core.record.closed }

  /// How many bytes were sent, heads included.
  public var bytesSent: Int { core.record.bytesSent }

  /// How many bytes of bodies were sent to requests for a path, chunks' frames included.
  ///
  /// What a client got of them may be less: sent is what the system took, and a client that dies leaves some of it unread.
  public func bodyBytes(_ path: String) -> Int { core.record.bodyBytes[path] ?? 0 }

  /// Returns when so many bytes of bodies were sent to requests for a path, or the task is cancelled.
  public func sent(_ count: Int, of path: String) async {
    await core.until("\(count) bytes of \(path) to be sent") { $0.bodyBytes[path] ?? 0 >= count }
  }

  /// Returns when so many bytes were sent in all, heads included, or the task is cancelled.
  public func sent(_ count: Int) async {
    await core.until("\(count) bytes to be sent") { $0.bytesSent >= count }
  }

  /// Returns when so many requests have come in all, or the task is cancelled.
  public func received(_ count: Int) async {
    await core.until("request \(count)") { $0.requests.count >= count }
  }

  /// Returns when so many connections have ended in all, or the task is cancelled.
  public func closed(_ count: Int) async {
    await core.until("the end of \(count) connections") { $0.closed >= count }
  }

  /// Returns when every connection that was made has ended, or the task is cancelled.
  public func idle() async {
    await core.until("the end of every connection") { $0.closed == $0.connections }
  }
}
