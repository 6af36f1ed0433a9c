// What a scripted server says, down to the byte where a test wants that. How it gets onto the wire is
// ServerConnection's business.

/// An answer: a head, and steps that make its body; or raw steps and no HTTP at all.
public struct ScriptedAnswer: Sendable {
  /// One thing the server does on the connection.
  public enum Step: Sendable {
    /// Sends these bytes; in a chunked body they are one chunk.
    case send([UInt8])
    /// Waits until a test opens the gate.
    case wait(Gate)
    /// Sends one byte after the other with a pause before each.
    case drip([UInt8], milliseconds: Int32)
    /// Sends a part of a content that is made while it is sent, at most so many bytes a second.
    case stream(FileContent, Range<Int>, bytesPerSecond: Int? = nil)
    /// Sends these bytes again and again until the client closes.
    case endless([UInt8])
    /// Does nothing until the client closes.
    case hold
    /// Closes the connection.
    case close
    /// Resets the connection.
    case reset

    /// How many bytes it sends, as far as that is known before.
    var count: Int {
      switch self {
      case .send(let bytes), .drip(let bytes, _): bytes.count
      case .stream(_, let range, _): range.count
      case .wait, .endless, .hold, .close, .reset: 0
      }
    }
  }

  /// How the end of the body is told.
  public enum Framing: Sendable {
    /// By the `Content-Length` of what the steps send.
    case length
    /// By a `Content-Length` that may be a lie.
    case declared(Int)
    /// By chunks, with these trailer fields at the end.
    case chunked(trailers: [(name: String, value: String)] = [])
    /// By the connection's end.
    case close
    /// No body, no word about its length: 304, 204.
    case none
  }

  /// The status line without its end.
  public var statusLine = "HTTP/1.1 200 OK"
  /// The fields, in order; those that frame the body are added.
  public var fields: [(name: String, value: String)] = []
  /// What is sent before the status line, for example interim answers, as it stands.
  public var preface = ""
  /// How the end of the body is told.
  public var framing = Framing.length
  /// What makes up the body.
  public var steps: [Step] = []
  /// What is waited for before the first byte.
  public var gate: Gate?
  /// Whether `If-None-Match` and `If-Modified-Since` are answered with 304 where they fit.
  public var isConditional = false
  /// Whether the steps are all there is: no status line, no fields.
  public var isRaw = false

  /// An answer with status and body.
  public static func status(
    _ code: Int, _ fields: [(name: String, value: String)] = [], body: String = ""
  ) -> ScriptedAnswer {
    var answer = ScriptedAnswer()
    answer.statusLine = "HTTP/1.1 \(code) \(code == 200 ? "OK" : "Scripted")"
    answer.fields = fields
    answer.steps = [.send(Array(body.utf8))]
    if code == 304 || code == 204 { answer.framing = .none }
    return answer
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

  /// Steps and nothing else: garbage instead of HTTP, a close without an answer.
  public static func raw(_ steps: Step...) -> ScriptedAnswer {
    var answer = ScriptedAnswer()
    answer.steps = steps
    answer.isRaw = true
    return answer
  }

  /// A head and these steps for a body, framed as told.
  public static func body(_ steps: Step..., framing: Framing) -> ScriptedAnswer {
    var answer = ScriptedAnswer()
    answer.steps = steps
    answer.framing = framing
    return answer
  }

  /// The same with one more field.
  public func with(_ name: String, _ value: String) -> ScriptedAnswer {
    var answer = self
    answer.fields.append((name, value))
    return answer
  }

  /// The same, held back until a test opens the gate.
  public func held(by gate: Gate) -> ScriptedAnswer {
    var answer = self
    answer.gate = gate
    return answer
  }

  /// The same with its body in chunks.
  public func chunked() -> ScriptedAnswer {
    var answer = self
    answer.framing = .chunked()
    return answer
  }

  /// The same with its body in gzip.
  public func gzipped() -> ScriptedAnswer {
    var answer = with("Content-Encoding", "gzip")
    answer.steps = [.send(Gzip.stored(sentBytes))]
    return answer
  }

  /// The same, but the connection ends after so many bytes of the body; the length told stays the whole one.
  public func cut(after count: Int) -> ScriptedAnswer {
    var answer = self
    let whole = sentBytes
    if case .length = framing { answer.framing = .declared(whole.count) }
    answer.steps = [.send(Array(whole.prefix(count))), .close]
    return answer
  }

  /// What the steps send, as far as that is known before; streamed contents are too large for that.
  var sentBytes: [UInt8] {
    steps.flatMap { step in
      switch step {
      case .send(let bytes), .drip(let bytes, _): bytes
      default: [UInt8]()
      }
    }
  }

  /// What to send to a request: this answer, or its 304.
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
    var answer = self
    answer.statusLine = "HTTP/1.1 304 Not Modified"
    answer.framing = .none
    answer.steps = []
    return answer
  }

  /// The head's bytes; empty for a raw answer.
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
