// A file on a scripted server, served rightly or with the misbehaviours that a test names. What one answer is made of is
// AssetAnswer's business.

internal import Synchronization

/// A file at a path of a `ScriptedServer`: ranges, conditions and HEAD as RFC 9110 has them (§9.3.2, §13, §14), but for what
/// a test names otherwise.
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
    var growth = 0
    var served = 0
  }

  private let state: Mutex<State>

  /// A file.
  ///
  /// - Parameters:
  ///   - content: what it holds.
  ///   - type: its media type.
  ///   - entityTag: its `ETag`, with quotes; nil makes one of seed and size, so that other content has another one.
  ///   - turns: what goes wrong at the first request, the second and so on; the last one is for good. None: nothing.
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

  /// What it holds now.
  public var content: FileContent { state.withLock { $0.content } }

  /// Puts other content in its place.
  public func replace(with content: FileContent) { state.withLock { $0.content = content } }

  /// What goes wrong from the next request on, in turn.
  public func behave(inTurn turns: [Misbehaviour]...) {
    state.withLock { state in
      state.turns = turns
      state.served = 0
    }
  }

  /// Lets it grow by so many bytes with every request.
  public func grow(by bytes: Int) { state.withLock { $0.growth = bytes } }

  /// The answer to the next request.
  public func answer(to request: ReceivedRequest) -> ScriptedAnswer {
    let answer = state.withLock { state in
      let turn = state.turns.isEmpty ? [] : state.turns[min(state.served, state.turns.count - 1)]
      state.served += 1
      defer { state.content.size += state.growth }
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

  /// Answers a path with redirects to another one, each with a query that no other has: a signed address.
  ///
  /// - Parameters:
  ///   - path: where it begins; the hops between are `path/1`, `path/2` and so on.
  ///   - target: the path or address at the end, without query.
  ///   - hops: how many redirects there are in all.
  public func redirectSigned(_ path: String, to target: String, hops: Int = 1) {
    let signature = Counter()
    for hop in 0..<hops {
      let next = hop == hops - 1 ? target : "\(path)/\(hop + 1)"
      on(hop == 0 ? path : "\(path)/\(hop)") { _ in
        .redirect(to: "\(next)?signature=\(signature.next())&expires=60")
      }
    }
  }
}

/// Counts from 1.
final class Counter: Sendable {
  private let count = Atomic(0)

  func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
