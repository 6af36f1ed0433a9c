// A file on the server: ranges and conditions by RFC 9110, and the misbehaviours that a test names.

import Synchronization

/// A file at a path of a `ScriptedServer`.
///
/// Ranges from an offset, conditions and HEAD follow RFC 9110 (§9.3.2, §13, §14), except for the misbehaviours that a test names.
///
/// ```swift
/// let file = AssetFile(FileContent(1 << 20), inTurn: [.cut(after: 300_000)], [])
/// server.serve(file, at: "/one.mp3")
/// … let a program download it …
/// #expect(server.bodyBytes("/one.mp3") < file.content.size + 10_000)
/// ```
public final class AssetFile: Sendable {
  private struct State: Sendable {
    var content: FileContent
    var turns: [[Misbehaviour]]
    var served = 0
  }

  private let state: Mutex<State>

  /// A file.
  ///
  /// - Parameters:
  ///   - content: its bytes.
  ///   - first: the misbehaviours at the first request.
  ///   - others: those at the second one and so on; the last ones repeat.
  public init(_ content: FileContent, inTurn first: [Misbehaviour], _ others: [Misbehaviour]...) {
    state = Mutex(State(content: content, turns: [first] + others))
  }

  /// A file that is always served with the same misbehaviours.
  public convenience init(_ content: FileContent, _ always: Misbehaviour...) {
    self.init(content, inTurn: always)
  }

  /// The present content.
  public var content: FileContent { state.withLock { $0.content } }

  /// Puts other content in its place.
  public func replace(with content: FileContent) { state.withLock { $0.content = content } }

  /// The response to the next request.
  public func answer(to request: ReceivedRequest) -> ScriptedAnswer {
    let answer = state.withLock { state in
      let turn = state.turns[min(state.served, state.turns.count - 1)]
      state.served += 1
      return AssetAnswer(content: state.content, number: state.served, misbehaviours: turn)
    }
    return answer.scripted(for: request)
  }
}

extension ScriptedServer {
  /// Serves a file at a path from now on, whatever the query.
  public func serve(_ file: AssetFile, at path: String) { on(path) { request in file.answer(to: request) } }
}

/// The parts of one response.
struct AssetAnswer: Sendable {
  let content: FileContent
  /// Its number among the file's responses, from 1.
  let number: Int
  let misbehaviours: [Misbehaviour]

  /// The response to a request.
  func scripted(for request: ReceivedRequest) -> ScriptedAnswer {
    if let other = insteadOfTheFile { return other }
    let validators = self.validators
    let isConditional = !misbehaviours.contains { if case .unconditional = $0 { true } else { false } }
    if isConditional, validators.fit(request) { return .status(304, validators.fields) }
    var body = AssetBody(content: content)
    body.fields = validators.fields
    if request.method == "GET" { body.cut(to: request, validators, misbehaviours) }
    return body.answer(misbehaviours)
  }

  private var insteadOfTheFile: ScriptedAnswer? {
    for misbehaviour in misbehaviours {
      switch misbehaviour {
      case .page(let page, let type): return .status(200, [("Content-Type", type)], body: page)
      case .status(let code, let fields): return .status(code, fields, body: "<html>\(code)</html>")
      case .redirect(let address): return .redirect(302, to: address)
      default: break
      }
    }
    return nil
  }

  private var validators: AssetValidators {
    var all = AssetValidators(entityTag: "\"\(content.seed)-\(content.size)\"")
    for misbehaviour in misbehaviours {
      switch misbehaviour {
      case .noValidators: (all.entityTag, all.lastModified) = (nil, nil)
      case .noEntityTag: all.entityTag = nil
      case .newEntityTag: all.entityTag = "\"answer-\(number)\""
      default: break
      }
    }
    return all
  }
}

/// The validators of one response.
struct AssetValidators: Sendable {
  var entityTag: String?
  /// Long before the moment of every response.
  var lastModified: String? = "Wed, 18 Nov 2026 10:00:00 GMT"

  var fields: [(name: String, value: String)] {
    let fields = [("ETag", entityTag), ("Last-Modified", lastModified)]
    return [("Date", "Sat, 21 Nov 2026 12:00:00 GMT")]
      + fields.compactMap { name, value in value.map { (name, $0) } }
  }

  /// Whether a request is conditional, and the client has the present version (RFC 9110 §13.1.2, §13.1.3).
  func fit(_ request: ReceivedRequest) -> Bool {
    // Both are compared as text, because the clients of tests have only what was sent.
    if let asked = request["If-None-Match"] { return asked == entityTag }
    return lastModified != nil && request["If-Modified-Since"] == lastModified
  }

  /// Whether `If-Range` names the present version, by strong comparison (RFC 9110 §13.1.5).
  func holds(ifRange: String) -> Bool { ifRange == entityTag || ifRange == lastModified }
}

/// A way in which a file server breaks the rules, or follows them in a rare way.
///
/// Several can apply at once; of two that exclude each other, the later one counts.
public enum Misbehaviour: Sendable {
  // MARK: Ranges

  /// Every response is 200 with the whole file, without a word about ranges.
  case noRanges
  /// A range is served although `If-Range` names a former version.
  case ignoresIfRange
  /// A 206 whose body begins elsewhere than its `Content-Range` says.
  case rangeLies(by: Int)
  /// A 206 that ends earlier than asked, which is allowed; it is at most so long.
  case rangeAtMost(Int)
  /// A 206 with the right `Content-Range` and the whole file behind it.
  case wholeFileAs206
  /// This status to every request with a range: 416, 403.
  case refusesRanges(Int)
  /// A 206 with bytes of other content under the same validators.
  case rangeOfAnother(FileContent)

  // MARK: Validators

  /// No `ETag` and no `Last-Modified`.
  case noValidators
  /// No `ETag`.
  case noEntityTag
  /// Another `ETag` with every response.
  case newEntityTag
  /// Conditions are ignored: never 304.
  case unconditional

  // MARK: Lengths

  /// `Content-Length` promises this many bytes more than come; then the connection is closed.
  case lengthTooLong(by: Int)
  /// `Content-Length` promises this many bytes fewer than come.
  case lengthTooShort(by: Int)
  /// HTTP/1.0: no length, the end of the connection is the end of the file.
  case endsByClose
  /// The body comes in chunks, without a length.
  case chunked
  /// The file is followed by bytes without end.
  case endless
  /// These bytes follow the file, and are not counted in its length.
  case garbageBehind([UInt8])

  // MARK: What is not the file

  /// This page, with 200 and this type.
  case page(String, type: String)
  /// The file in gzip although the request did not allow it.
  case gzip
  /// This status with these fields.
  case status(Int, [(name: String, value: String)] = [])
  /// A redirect to this address, absolute or relative.
  case redirect(to: String)

  // MARK: The way of sending

  /// The connection is closed after this many bytes of the body.
  case cut(after: Int)
  /// The connection is reset after this many bytes of the body.
  case reset(after: Int)
  /// Nothing more comes after this many bytes of the body.
  case stall(after: Int)
  /// Nothing more comes after this many bytes of the body, until a test opens the gate.
  case pause(after: Int, Gate)
  /// Only 4 KiB a second come after this many bytes of the body, until a test opens the gate.
  case trickle(after: Int, Gate)
  /// At most this many bytes of the body a second.
  case slow(bytesPerSecond: Int)
}

extension Misbehaviour {
  /// A page of a portal or login in place of the file, with the type of a page.
  public static var loginPage: Misbehaviour { page(htmlPage, type: "text/html; charset=utf-8") }

  /// The same page with the type of the file.
  public static var pageAsAudio: Misbehaviour { page(htmlPage, type: "audio/mpeg") }

  private static let htmlPage =
    "<!DOCTYPE html>\n<html><head><title>Log in</title></head><body><form action=\"/login\"></form></body></html>\n"
}
