// An HTTP server on loopback that gives scripted responses and records requests.

/// Gives the response to a request.
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

  /// Starts a server whose routes always give the same response; any other path gets 404.
  ///
  /// - Parameters:
  ///   - routes: responses by path, without query.
  ///   - address: `127.0.0.1`, another address of 127.0.0.0/8, or `::1`.
  /// - Throws: `SocketProblem` if the address cannot be listened on.
  public convenience init(_ routes: [String: ScriptedAnswer] = [:], on address: String = "127.0.0.1")
    throws(SocketProblem)
  {
    try self.init(on: address) { _ in .status(404) }
    for (path, answer) in routes { self.on(path, answer) }
  }

  /// Starts a server with one closure for all requests, such as a proxy; port 0 means any free port.
  public init(on address: String = "127.0.0.1", port: Int = 0, answering: @escaping Route)
    throws(SocketProblem)
  {
    core = try ServerCore(on: address, port: port, answering: answering)
  }

  deinit { core.stop() }

  /// Serves a path with this response from now on.
  public func on(_ path: String, _ answer: ScriptedAnswer) { core.route(path) { _ in answer } }

  /// Serves a path by this closure from now on; the closure runs on the thread of the connection.
  public func on(_ path: String, _ route: @escaping Route) { core.route(path, route) }

  /// Serves a path with one response after the other, and the last one repeats.
  public func on(_ path: String, inTurn answers: ScriptedAnswer...) { core.route(path, inTurn: answers) }

  /// Ends every connection and thread; afterwards connections are refused.
  public func stop() { core.stop() }

  /// The port.
  public var port: Int { core.port }

  /// `http://address:port`.
  public var origin: String { core.origin }

  /// The whole address of a path.
  public func url(_ path: String) -> String { core.origin + path }

  /// The same by another name of this machine, such as `moon.localhost` (RFC 6761 section 6.3).
  public func url(_ path: String, host: String) -> String { "http://\(host):\(port)" + path }

  /// All requests in the order of their arrival.
  public var requests: [ReceivedRequest] { core.record.requests }

  /// The requests to one path, in order.
  public func requests(_ path: String) -> [ReceivedRequest] { requests.filter { $0.path == path } }

  /// The largest number of requests in progress at one time.
  public var mostAtOnce: Int { core.record.mostAtOnce }

  /// The number of connections so far.
  public var connections: Int { core.record.connections }

  /// The number of bytes sent, heads included.
  public var bytesSent: Int { core.record.bytesSent }

  /// The number of body bytes sent for a path, including the frames of chunks.
  ///
  /// A client may have received fewer: the system has accepted them, and a client that dies leaves some unread. For a moment it
  /// may have more: they are counted once they are sent (`sent` waits for that).
  public func bodyBytes(_ path: String) -> Int { core.record.bodyBytes[path] ?? 0 }

  /// Returns when this many bytes of bodies were sent to requests for a path, or the task is cancelled.
  public func sent(_ count: Int, of path: String) async {
    await core.until("\(count) bytes of \(path) to be sent") { $0.bodyBytes[path] ?? 0 >= count }
  }

  /// Returns when this many bytes were sent in all, heads included, or the task is cancelled.
  public func sent(_ count: Int) async {
    await core.until("\(count) bytes to be sent") { $0.bytesSent >= count }
  }

  /// Returns when this many requests have come in all, or the task is cancelled.
  public func received(_ count: Int) async {
    await core.until("request \(count)") { $0.requests.count >= count }
  }

  /// Returns when this many connections have ended in all, or the task is cancelled.
  public func closed(_ count: Int) async {
    await core.until("the end of \(count) connections") { $0.closed >= count }
  }

  /// Returns when every connection that was made has ended, or the task is cancelled.
  public func idle() async { await core.until("the end of every connection") { $0.closed == $0.connections } }
}

/// A response: a head, and steps that make its body; or raw steps and no HTTP at all.
public struct ScriptedAnswer: Sendable {
  /// One action of the server on the connection.
  public enum Step: Sendable {
    /// Sends these bytes; in a chunked body they are one chunk.
    case send([UInt8])
    /// Waits until a test opens the gate, or this many milliseconds.
    case wait(Gate, atMost: Int32 = -1)
    /// Sends one byte after the other with a pause before each.
    case drip([UInt8], milliseconds: Int32)
    /// Sends a part of a content, which is generated meanwhile, at this many bytes a second at most.
    case stream(FileContent, Range<Int>, bytesPerSecond: Int? = nil)
    /// Sends these bytes again and again until the client closes.
    case endless([UInt8])
    /// Does nothing until the client closes.
    case hold
    /// Closes the connection.
    case close
    /// Resets the connection.
    case reset

    /// The number of bytes that it sends, if known in advance.
    var count: Int {
      switch self {
      case .send(let bytes), .drip(let bytes, _): bytes.count
      case .stream(_, let range, _): range.count
      case .wait, .endless, .hold, .close, .reset: 0
      }
    }
  }

  /// How the client finds the end of the body.
  public enum Framing: Sendable {
    /// By a `Content-Length` that is the size of the steps.
    case length
    /// By a `Content-Length` that may be wrong.
    case declared(Int)
    /// By chunks, with these trailer fields at the end.
    case chunked(trailers: [(name: String, value: String)] = [])
    /// By the connection's end.
    case close
    /// No body and no length: 304, 204.
    case none
  }

  /// The status line without its end.
  public var statusLine = "HTTP/1.1 200 OK"
  /// The fields, in order; the fields that frame the body are added.
  public var fields: [(name: String, value: String)] = []
  /// Raw bytes before the status line, for example interim responses.
  public var preface = ""
  /// How the client finds the end of the body.
  public var framing = Framing.length
  /// The steps of the body.
  public var steps: [Step] = []
  /// A gate to wait for before the first byte.
  public var gate: Gate?
  /// Whether matching `If-None-Match` and `If-Modified-Since` get 304.
  public var isConditional = false
  /// Whether there are only steps, without a status line and fields.
  public var isRaw = false

  /// A response with status and body.
  public static func status(
    _ code: Int, _ fields: [(name: String, value: String)] = [], body: String = ""
  ) -> ScriptedAnswer {
    ScriptedAnswer().changed {
      $0.statusLine = "HTTP/1.1 \(code) \(code == 200 ? "OK" : "Scripted")"
      ($0.fields, $0.steps) = (fields, [.send(Array(body.utf8))])
      if code == 304 || code == 204 { $0.framing = .none }
    }
  }

  /// A document with validators; a request that carries a fitting one is answered with 304 and the same
  /// validators.
  public static func document(
    _ body: [UInt8], type: String = "application/rss+xml", etag: String? = nil, lastModified: String? = nil
  ) -> ScriptedAnswer {
    var answer = ScriptedAnswer()
    answer.fields = [("Content-Type", type)]
    if let etag { answer.fields.append(("ETag", etag)) }
    if let lastModified { answer.fields.append(("Last-Modified", lastModified)) }
    answer.steps = [.send(body)]
    answer.isConditional = true
    return answer
  }

  /// A document given as text.
  public static func document(
    _ body: String, type: String = "application/rss+xml", etag: String? = nil, lastModified: String? = nil
  ) -> ScriptedAnswer {
    document(Array(body.utf8), type: type, etag: etag, lastModified: lastModified)
  }

  /// A redirect to an address, absolute or relative.
  public static func redirect(_ code: Int = 302, to location: String) -> ScriptedAnswer {
    status(code, [("Location", location)])
  }

  /// Only steps, for garbage instead of HTTP or a close without a response.
  public static func raw(_ steps: Step...) -> ScriptedAnswer {
    ScriptedAnswer().changed { ($0.steps, $0.isRaw) = (steps, true) }
  }

  /// A head and these steps for a body, framed as given.
  public static func body(_ steps: Step..., framing: Framing) -> ScriptedAnswer {
    ScriptedAnswer().changed { ($0.steps, $0.framing) = (steps, framing) }
  }

  /// The same with one more field.
  public func with(_ name: String, _ value: String) -> ScriptedAnswer {
    changed { $0.fields.append((name, value)) }
  }

  /// The same with changes.
  private func changed(_ change: (inout ScriptedAnswer) -> Void) -> ScriptedAnswer {
    var answer = self
    change(&answer)
    return answer
  }

  /// The same, held back until a test opens the gate.
  public func held(by gate: Gate) -> ScriptedAnswer { changed { $0.gate = gate } }

  /// The same with its body in chunks.
  public func chunked() -> ScriptedAnswer { changed { $0.framing = .chunked() } }

  /// The same with its body in gzip.
  public func gzipped() -> ScriptedAnswer {
    var answer = with("Content-Encoding", "gzip")
    answer.steps = [.send(Gzip.stored(sentBytes))]
    return answer
  }

  /// The same, but the connection ends after this many bytes of the body; the announced length is the whole body's.
  public func cut(after count: Int) -> ScriptedAnswer {
    var answer = self
    let whole = sentBytes
    if case .length = framing { answer.framing = .declared(whole.count) }
    answer.steps = [.send(Array(whole.prefix(count))), .close]
    return answer
  }

  /// The bytes of the steps, except for streamed contents, which are too large.
  var sentBytes: [UInt8] {
    steps.flatMap { step in
      switch step {
      case .send(let bytes), .drip(let bytes, _): bytes
      default: [UInt8]()
      }
    }
  }

  /// The response to a request: this one, or 304.
  func fitting(_ request: ReceivedRequest) -> ScriptedAnswer {
    guard isConditional else { return self }
    let etag = fields.first { $0.name == "ETag" }?.value
    let date = fields.first { $0.name == "Last-Modified" }?.value
    let isUnchanged =
      if let asked = request["If-None-Match"] {
        etag != nil && asked == etag
      } else {
        date != nil && request["If-Modified-Since"] == date
      }
    guard isUnchanged else { return self }
    return changed { ($0.statusLine, $0.framing, $0.steps) = ("HTTP/1.1 304 Not Modified", .none, []) }
  }

  /// The head's bytes; empty for a raw response.
  var head: [UInt8] {
    guard !isRaw else { return [] }
    var lines = [statusLine] + fields.map { "\($0.name): \($0.value)" }
    switch framing {
    case .length: lines.append("Content-Length: \(steps.reduce(0) { $0 + $1.count })")
    case .declared(let count): lines.append("Content-Length: \(count)")
    case .chunked: lines.append("Transfer-Encoding: chunked")
    case .close: lines.append("Connection: close")
    case .none: break
    }
    return Array((preface + lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }
}
