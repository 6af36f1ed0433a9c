// The status, length and bytes of a response with a file or a part of one.

/// A response with a file, while it is composed.
struct AssetBody: Sendable {
  let content: FileContent
  var fields: [(name: String, value: String)] = []
  private var status = 200
  private var part: Range<Int>
  /// The bytes sent instead of the file's own bytes.
  private var source: FileContent

  init(content: FileContent) {
    (self.content, source) = (content, content)
    part = 0..<content.size
  }

  // MARK: Ranges

  /// Reduces it to the requested part, if there is one and the file allows it.
  mutating func cut(
    to request: ReceivedRequest, _ validators: AssetValidators, _ misbehaviours: [Misbehaviour]
  ) {
    var takesIfRange = true
    var refusal: Int?
    for misbehaviour in misbehaviours {
      switch misbehaviour {
      case .noRanges: return
      case .ignoresIfRange: takesIfRange = false
      case .refusesRanges(let code): refusal = code
      default: break
      }
    }
    fields.append(("Accept-Ranges", "bytes"))
    guard let start = request["Range"].flatMap(Self.start) else { return }
    if let refusal { return refuse(with: refusal) }
    if takesIfRange, let condition = request["If-Range"], !validators.holds(ifRange: condition) { return }
    guard start < content.size else { return refuse(with: 416) }
    send(from: start, misbehaviours)
  }

  /// The offset of a `Range` field; nil for every other range, which a server may ignore (RFC 9110 §14.2).
  private static func start(_ field: String) -> Int? {
    field.hasPrefix("bytes=") && field.hasSuffix("-") ? Int(field.dropFirst(6).dropLast()) : nil
  }

  private mutating func refuse(with code: Int) {
    status = code
    part = 0..<0
    fields = fields.filter { $0.name == "Date" }
    if code == 416 { fields.append(("Content-Range", "bytes */\(content.size)")) }
  }

  private mutating func send(from start: Int, _ misbehaviours: [Misbehaviour]) {
    status = 206
    part = start..<content.size
    var said: Range<Int>?
    for misbehaviour in misbehaviours {
      switch misbehaviour {
      case .rangeLies(let by): (said, part) = (part, max(0, part.lowerBound + by)..<part.upperBound)
      case .rangeAtMost(let count): part = part.prefix(count)
      case .wholeFileAs206: (said, part) = (part, 0..<content.size)
      case .rangeOfAnother(let other): source = other
      default: break
      }
    }
    let range = said ?? part
    let text = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.size)"
    fields.append(("Content-Range", text))
  }

  // MARK: The response

  func answer(_ misbehaviours: [Misbehaviour]) -> ScriptedAnswer {
    var answer = ScriptedAnswer.status(status, [("Content-Type", "audio/mpeg")] + fields)
    var rate: Int?
    for case .slow(let limit) in misbehaviours { rate = limit }
    var piece = ScriptedAnswer.Step.stream(source, part, bytesPerSecond: rate)
    if status == 200, misbehaviours.contains(where: { if case .gzip = $0 { true } else { false } }) {
      answer.fields.append(("Content-Encoding", "gzip"))
      piece = .send(Gzip.stored(source.bytes(part)))
    }
    answer.steps = [piece]
    answer.framing = .declared(piece.count)
    for misbehaviour in misbehaviours {
      switch misbehaviour {
      case .lengthTooLong(let by):
        answer.steps = [piece, .close]
        answer.framing = .declared(piece.count + by)
      case .lengthTooShort(let by): answer.framing = .declared(max(0, piece.count - by))
      case .endsByClose:
        answer.statusLine.replace("HTTP/1.1", with: "HTTP/1.0")
        answer.framing = .close
      case .chunked: answer.framing = .chunked()
      case .endless:
        answer.framing = .close
        answer.steps = [piece, .endless(FileContent(1 << 16, seed: source.seed &+ 99).all)]
      case .garbageBehind(let garbage): answer.steps = [piece, .send(garbage)]
      case .cut(let count): answer.steps = piece.cut(after: count, [.close])
      case .reset(let count): answer.steps = piece.cut(after: count, [.reset])
      case .stall(let count): answer.steps = piece.cut(after: count, [.hold])
      case .pause(let count, let gate):
        answer.steps = piece.cut(after: count, [.wait(gate), piece.part(count..<max(count, piece.count))])
      case .trickle(let count, let gate):
        let pieces = stride(from: count, to: piece.count, by: 4096).flatMap {
          start -> [ScriptedAnswer.Step] in
          [.wait(gate, atMost: 1000), piece.part(start..<min(start + 4096, piece.count))]
        }
        answer.steps = piece.cut(after: count, pieces)
      default: break
      }
    }
    return answer
  }
}

extension ScriptedAnswer.Step {
  /// The first bytes and other steps behind them; the step itself if it has no more bytes.
  fileprivate func cut(after count: Int, _ others: [Self]) -> [Self] {
    count < self.count ? [part(0..<count)] + others : [self]
  }

  fileprivate func part(_ range: Range<Int>) -> Self {
    switch self {
    case .send(let bytes): .send(Array(bytes[range]))
    case .stream(let content, let whole, let rate):
      .stream(
        content, whole.lowerBound + range.lowerBound..<whole.lowerBound + range.upperBound,
        bytesPerSecond: rate)
    default: self
    }
  }
}
