// A file on the server: ranges and conditions by RFC 9110, and the misbehaviours that a test names.

import Synchronization

/// A file at a path of a `ScriptedServer`.
///
/// Ranges, conditions and HEAD follow RFC 9110 (§9.3.2, §13, §14), except for the misbehaviours that a test names.
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
    var entityTag: String?
    var type: String
    var turns: [[Misbehaviour]]
    var served = 0
  }

  private let state: Mutex<State>

  /// A file.
  ///
  /// - Parameters:
  ///   - content: its bytes.
  ///   - type: its media type.
  ///   - entityTag: its `ETag`, with quotes; nil makes one of seed and size, so that other content has another one.
  ///   - turns: the misbehaviours at the first request, the second and so on; the last one repeats.
  public init(
    _ content: FileContent, type: String = "audio/mpeg", entityTag: String? = nil,
    inTurn turns: [Misbehaviour]...
  ) {
    state = Mutex(State(content: content, entityTag: entityTag, type: type, turns: turns))
  }

  /// A file that is always served with the same misbehaviours.
  public convenience init(_ content: FileContent, type: String = "audio/mpeg", _ always: Misbehaviour...) {
    self.init(content, type: type, inTurn: always)
  }

  /// The present content.
  public var content: FileContent { state.withLock { $0.content } }

  /// Puts other content in its place.
  public func replace(with content: FileContent) { state.withLock { $0.content = content } }

  /// The response to the next request.
  public func answer(to request: ReceivedRequest) -> ScriptedAnswer {
    let answer = state.withLock { state in
      let turn = state.turns.isEmpty ? [] : state.turns[min(state.served, state.turns.count - 1)]
      state.served += 1
      return AssetAnswer(
        content: state.content, type: state.type, entityTag: state.entityTag, number: state.served,
        misbehaviours: turn)
    }
    return answer.scripted(for: request)
  }
}

extension ScriptedServer {
  /// Serves a file at a path from now on, whatever the query.
  public func serve(_ file: AssetFile, at path: String) {
    on(path) { request in file.answer(to: request) }
  }
}

/// The parts of one response.
struct AssetAnswer: Sendable {
  let content: FileContent
  let type: String
  /// The file's own `ETag`; nil makes one.
  let entityTag: String?
  /// Its number among the file's responses, from 1.
  let number: Int
  let misbehaviours: [Misbehaviour]

  /// The moment of every response, long after the file's last change.
  static let date = "Sat, 21 Nov 2026 12:00:00 GMT"
  static let lastModified = "Wed, 18 Nov 2026 10:00:00 GMT"

  /// The response to a request.
  func scripted(for request: ReceivedRequest) -> ScriptedAnswer {
    if let other = insteadOfTheFile { return other }
    let validators = self.validators
    if !isSet({ if case .unconditional = $0 { true } else { false } }),
      Self.isUnchanged(request, validators)
    {
      var answer = ScriptedAnswer.status(304, validators.fields)
      answer.gate = gate
      return answer
    }
    var body = AssetBody(content: content, type: type)
    body.fields = validators.fields
    if request.method == "GET" { body.cut(to: request, validators, misbehaviours) }
    return body.answer(misbehaviours, gate: gate)
  }

  // MARK: What is not the file

  private var insteadOfTheFile: ScriptedAnswer? {
    for misbehaviour in misbehaviours {
      var other: ScriptedAnswer?
      switch misbehaviour {
      case .page(let page, let type): other = .status(200, [("Content-Type", type)], body: page)
      case .empty: other = .status(200, [("Content-Type", type)])
      case .status(let code, let fields): other = .status(code, fields, body: "<html>\(code)</html>")
      case .redirect(let code, let address): other = .redirect(code, to: address)
      default: break
      }
      other?.gate = gate
      if let other { return other }
    }
    return nil
  }

  private var gate: Gate? {
    for case .held(let gate) in misbehaviours { return gate }
    return nil
  }

  private func isSet(_ isIt: (Misbehaviour) -> Bool) -> Bool { misbehaviours.contains(where: isIt) }

  // MARK: Validators

  private var validators: AssetValidators {
    var all = AssetValidators(
      entityTag: entityTag ?? "\"\(content.seed)-\(content.size)\"", lastModified: Self.lastModified,
      date: Self.date)
    for misbehaviour in misbehaviours {
      switch misbehaviour {
      case .noValidators: (all.entityTag, all.lastModified) = (nil, nil)
      case .noEntityTag: all.entityTag = nil
      case .noLastModified: all.lastModified = nil
      case .newEntityTag: all.entityTag = "\"answer-\(number)\""
      case .modifiedNow: all.lastModified = all.date
      case .newLastModified:
        let second = number % 60
        all.lastModified = "Wed, 18 Nov 2026 10:00:\(second < 10 ? "0" : "")\(second) GMT"
      case .noDate: all.date = nil
      default: break
      }
    }
    return all
  }

  /// Whether a request is conditional, and the client has the present version (RFC 9110 §13.1.2, §13.1.3).
  private static func isUnchanged(_ request: ReceivedRequest, _ validators: AssetValidators) -> Bool {
    if let asked = request["If-None-Match"] {
      guard let tag = validators.entityTag else { return false }
      func opaque(_ text: some StringProtocol) -> String {
        let trimmed = text.drop { $0 == " " }
        return String(trimmed.hasPrefix("W/") ? trimmed.dropFirst(2) : trimmed)
      }
      return asked == "*" || asked.split(separator: ",").contains { opaque($0) == opaque(tag) }
    }
    // Dates are compared as text, because the clients of tests have only the date that was sent.
    return validators.lastModified != nil && request["If-Modified-Since"] == validators.lastModified
  }
}

/// The validators of one response.
struct AssetValidators: Sendable {
  var entityTag: String?
  var lastModified: String?
  var date: String?

  var fields: [(name: String, value: String)] {
    [("Date", date), ("ETag", entityTag), ("Last-Modified", lastModified)].compactMap { name, value in
      value.map { (name, $0) }
    }
  }

  /// Whether `If-Range` names the present version, by strong comparison (RFC 9110 §13.1.5).
  func holds(ifRange: String) -> Bool {
    guard !ifRange.hasPrefix("W/") else { return false }
    if ifRange.hasPrefix("\"") { return ifRange == entityTag }
    return ifRange == lastModified && date != nil && lastModified != date
  }
}

/// A way in which a file server breaks the rules, or follows them in a rare way.
///
/// Several can apply at once; of two that exclude each other, the later one counts.
public enum Misbehaviour: Sendable {
  // MARK: Ranges

  /// Every response is 200 with the whole file, without a word about ranges.
  case noRanges
  /// Ranges are served, but no `Accept-Ranges` says so.
  case silentAboutRanges
  /// A range is served although `If-Range` names a former version.
  case ignoresIfRange
  /// A 206 that begins this many bytes after the requested offset (before it, if negative), and says so.
  case rangeBeginsElsewhere(by: Int)
  /// A 206 whose body begins elsewhere than its `Content-Range` says.
  case rangeLies(by: Int)
  /// A 206 that gives another size of the whole file.
  case rangeOfOtherTotal(by: Int)
  /// A 206 that says `*` for the size of the whole file, which is allowed.
  case rangeOfUnknownTotal
  /// A 206 that ends earlier than asked, which is allowed; it is at most so long.
  case rangeAtMost(Int)
  /// A 206 with the right `Content-Range` and the whole file behind it.
  case wholeFileAs206
  /// A 200 with only the rest, with or without a `Content-Range`.
  case restAs200(saysRange: Bool)
  /// A 206 without `Content-Range`.
  case noContentRange
  /// This status to every request with a range: 416, 403.
  case refusesRanges(Int)
  /// A 206 with this part of the file to a request without a range.
  case unaskedRange(Range<Int>)
  /// A 206 with bytes of other content under the same validators.
  case rangeOfAnother(FileContent)

  // MARK: Validators

  /// No `ETag` and no `Last-Modified`.
  case noValidators
  /// No `ETag`.
  case noEntityTag
  /// No `Last-Modified`.
  case noLastModified
  /// Another `ETag` with every response.
  case newEntityTag
  /// `Last-Modified` is the moment of the response, and so proves nothing.
  case modifiedNow
  /// Another `Last-Modified` with every response.
  case newLastModified
  /// No `Date`, so that the age of `Last-Modified` is unknown.
  case noDate
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
  /// Nothing, with 200.
  case empty
  /// The file in gzip although the request did not allow it.
  case gzip
  /// This status with these fields.
  case status(Int, [(name: String, value: String)] = [])
  /// A redirect to this address, absolute or relative.
  case redirect(Int = 302, to: String)

  // MARK: The way of sending

  /// The connection is closed after this many bytes of the body.
  case cut(after: Int)
  /// The connection is reset after this many bytes of the body.
  case reset(after: Int)
  /// Nothing more comes after this many bytes of the body.
  case stall(after: Int)
  /// Nothing more comes after this many bytes of the body, until a test opens the gate.
  case pause(after: Int, Gate)
  /// Nothing comes, not even a head, until a test opens the gate.
  case held(Gate)
  /// At most this many bytes of the body a second.
  case slow(bytesPerSecond: Int)
  /// One more field of the head, `Content-Disposition` for example.
  case field(String, String)
}

extension Misbehaviour {
  /// A page of a portal or login in place of the file, with the type of a page.
  public static var loginPage: Misbehaviour { page(htmlPage, type: "text/html; charset=utf-8") }
  /// The same page with the type of the file.
  public static var pageAsAudio: Misbehaviour { page(htmlPage, type: "audio/mpeg") }
  /// The status with `Retry-After`.
  public static func retryAfter(_ seconds: Int, _ status: Int = 503) -> Misbehaviour {
    .status(status, [("Retry-After", String(seconds))])
  }

  private static let htmlPage =
    "<!DOCTYPE html>\n<html><head><title>Log in</title></head><body><form action=\"/login\"></form></body></html>\n"
}
