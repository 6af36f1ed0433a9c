// The status, length and bytes of a response with a file or a part of one.

/// A response with a file, while it is composed.
struct AssetBody: Sendable {
  let content: FileContent
  let type: String
  var fields: [(name: String, value: String)] = []
  private var status = 200
  private var part: Range<Int>
  /// The bytes sent instead of the file's own bytes.
  private var source: FileContent

  init(content: FileContent, type: String) {
    (self.content, self.type, source) = (content, type, content)
    part = 0..<content.size
  }

  // MARK: Ranges

  /// Reduces it to the requested part, if there is one and the file allows it.
  mutating func cut(
    to request: ReceivedRequest, _ validators: AssetValidators, _ misbehaviours: [Misbehaviour]
  ) {
    var speaksOfRanges = true
    var takesIfRange = true
    var refusal: Int?
    for misbehaviour in misbehaviours {
      switch misbehaviour {
      case .noRanges: return
      case .silentAboutRanges: speaksOfRanges = false
      case .ignoresIfRange: takesIfRange = false
      case .refusesRanges(let code): refusal = code
      default: break
      }
    }
    if speaksOfRanges { fields.append(("Accept-Ranges", "bytes")) }
    let asked = request["Range"].map { RangeWish($0, size: content.size) } ?? .none
    if asked == .none {
      for case .unaskedRange(let part) in misbehaviours { send(part, misbehaviours) }
      return
    }
    if let refusal { return refuse(with: refusal) }
    if takesIfRange, let condition = request["If-Range"], !validators.holds(ifRange: condition) { return }
    switch asked {
    case .part(let wanted): send(wanted, misbehaviours)
    case .beyond: refuse(with: 416)
    case .none: break
    }
  }

  private mutating func refuse(with code: Int) {
    status = code
    part = 0..<0
    fields = fields.filter { $0.name == "Date" }
    if code == 416 { fields.append(("Content-Range", "bytes */\(content.size)")) }
  }

  private mutating func send(_ wanted: Range<Int>, _ misbehaviours: [Misbehaviour]) {
    status = 206
    part = wanted
    var said: Range<Int>?
    var total = String(content.size)
    var saysRange = true
    for misbehaviour in misbehaviours {
      switch misbehaviour {
      case .rangeBeginsElsewhere(let by): part = max(0, part.lowerBound + by)..<part.upperBound
      case .rangeLies(let by):
        said = part
        part = max(0, part.lowerBound + by)..<part.upperBound
      case .rangeOfOtherTotal(let by): total = String(content.size + by)
      case .rangeOfUnknownTotal: total = "*"
      case .rangeAtMost(let count): part = part.prefix(count)
      case .wholeFileAs206:
        said = part
        part = 0..<content.size
      case .noContentRange: saysRange = false
      case .restAs200(let says): (status, saysRange) = (200, says)
      case .rangeOfAnother(let other): source = other
      default: break
      }
    }
    let range = said ?? part
    if saysRange {
      fields.append(("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"))
    }
  }

  // MARK: The response

  func answer(_ misbehaviours: [Misbehaviour], gate: Gate?) -> ScriptedAnswer {
    var answer = ScriptedAnswer.status(status, [("Content-Type", type)] + fields)
    answer.gate = gate
    var steps = AssetSteps([.stream(source, part)])
    answer.framing = .declared(steps.count)
    for misbehaviour in misbehaviours {
      switch misbehaviour {
      case .field(let name, let value): answer.fields.append((name, value))
      case .gzip where status == 200:
        answer.fields.append(("Content-Encoding", "gzip"))
        steps = AssetSteps([.send(Gzip.stored(source.bytes(part)))])
        answer.framing = .declared(steps.count)
      case .lengthTooLong(let by):
        answer.framing = .declared(steps.count + by)
        steps.end(with: .close)
      case .lengthTooShort(let by): answer.framing = .declared(max(0, steps.count - by))
      case .endsByClose:
        answer.statusLine = answer.statusLine.replacingVersion
        answer.framing = .close
      case .chunked: answer.framing = .chunked()
      case .endless:
        answer.framing = .close
        steps.end(with: .endless(FileContent(1 << 16, seed: source.seed &+ 99).all))
      case .garbageBehind(let garbage): steps.end(with: .send(garbage))
      case .cut(let count): steps.cut(after: count, .close)
      case .reset(let count): steps.cut(after: count, .reset)
      case .stall(let count): steps.cut(after: count, .hold)
      case .pause(let count, let gate): steps.insert(.wait(gate), after: count)
      case .slow(let rate): steps.rate = rate
      default: break
      }
    }
    answer.steps = steps.all
    return answer
  }
}

/// The range of a `Range` field.
enum RangeWish: Hashable, Sendable {
  /// Not to be obeyed: another unit, several ranges, nonsense.
  case none
  /// A part of the file.
  case part(Range<Int>)
  /// A part beyond the end of the file.
  case beyond

  /// Reads the field (RFC 9110 §14.1.2).
  init(_ text: String, size: Int) {
    self = .none
    guard text.hasPrefix("bytes="), !text.contains(",") else { return }
    let ends = text.dropFirst(6).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard ends.count == 2 else { return }
    let (first, last) = (Int(ends[0]), Int(ends[1]))
    guard first != nil || ends[0].isEmpty, last != nil || ends[1].isEmpty else { return }
    switch (first, last) {
    case (nil, nil): return
    case (nil, let count?): self = count > 0 && size > 0 ? .part(max(0, size - count)..<size) : .beyond
    case (let first?, let last):
      let end = last ?? Int.max - 1
      guard end >= first else { return }
      self = first < size ? .part(first..<min(end + 1, size)) : .beyond
    }
  }
}

extension String {
  /// The status line of an old server.
  fileprivate var replacingVersion: String { hasPrefix("HTTP/1.1") ? "HTTP/1.0" + dropFirst(8) : self }
}

/// The steps of a body, cut and joined by bytes.
private struct AssetSteps {
  private var steps: [ScriptedAnswer.Step]
  /// Bytes a second; nil is unlimited.
  var rate: Int?

  init(_ steps: [ScriptedAnswer.Step]) { self.steps = steps.filter { $0.count > 0 } }

  var count: Int { steps.reduce(0) { $0 + $1.count } }

  var all: [ScriptedAnswer.Step] {
    steps.map { step in
      if case .stream(let content, let range, _) = step {
        .stream(content, range, bytesPerSecond: rate)
      } else {
        step
      }
    }
  }

  mutating func end(with step: ScriptedAnswer.Step) { steps.append(step) }

  /// Ends it with a step after this many bytes, if it is that long.
  mutating func cut(after count: Int, _ end: ScriptedAnswer.Step) {
    guard count < self.count else { return }
    steps = split(at: count).before + [end]
  }

  mutating func insert(_ step: ScriptedAnswer.Step, after count: Int) {
    let (before, behind) = split(at: count)
    steps = before + [step] + behind
  }

  private func split(at count: Int) -> (before: [ScriptedAnswer.Step], behind: [ScriptedAnswer.Step]) {
    var (before, behind): ([ScriptedAnswer.Step], [ScriptedAnswer.Step]) = ([], [])
    var left = count
    for step in steps {
      if left >= step.count {
        before.append(step)
      } else if left == 0 {
        behind.append(step)
      } else {
        switch step {
        case .send(let bytes):
          before.append(.send(Array(bytes.prefix(left))))
          behind.append(.send(Array(bytes.dropFirst(left))))
        case .stream(let content, let range, let rate):
          let middle = range.lowerBound + left
          before.append(.stream(content, range.lowerBound..<middle, bytesPerSecond: rate))
          behind.append(.stream(content, middle..<range.upperBound, bytesPerSecond: rate))
        default: behind.append(step)
        }
      }
      left = max(0, left - step.count)
    }
    return (before, behind)
  }
}
