// One answer of an asset's file: what RFC 9110 wants, changed by what a test wants to go wrong.

/// What one answer is made of.
struct AssetAnswer: Sendable {
  let content: FileContent
  let type: String
  /// The file's own `ETag`; nil makes one.
  let entityTag: String?
  /// Which of the file's answers it is, counted from 1.
  let number: Int
  let misbehaviours: [Misbehaviour]

  /// The moment of every answer, long after the file's last change.
  static let date = "Sat, 21 Nov 2026 12:00:00 GMT"
  static let lastModified = "Wed, 18 Nov 2026 10:00:00 GMT"

  /// The answer to a request.
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
      case .weakEntityTag: all.entityTag = all.entityTag.map { "W/" + $0 }
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

  /// Whether a request is conditional and its condition says that the client has what is there (RFC 9110 §13.1.2, §13.1.3).
  private static func isUnchanged(_ request: ReceivedRequest, _ validators: AssetValidators) -> Bool {
    if let asked = request["If-None-Match"] {
      guard let tag = validators.entityTag else { return false }
      func opaque(_ text: some StringProtocol) -> String {
        let trimmed = text.drop { $0 == " " }
        return String(trimmed.hasPrefix("W/") ? trimmed.dropFirst(2) : trimmed)
      }
      return asked == "*" || asked.split(separator: ",").contains { opaque($0) == opaque(tag) }
    }
    // Dates are compared as text: the tests' clients have no other date than the one that was sent.
    return validators.lastModified != nil && request["If-Modified-Since"] == validators.lastModified
  }
}

/// The validators of one answer.
struct AssetValidators: Sendable {
  var entityTag: String?
  var lastModified: String?
  var date: String?

  var fields: [(name: String, value: String)] {
    [("Date", date), ("ETag", entityTag), ("Last-Modified", lastModified)].compactMap { name, value in
      value.map { (name, $0) }
    }
  }

  /// Whether what `If-Range` names is what is there: the strong comparison (RFC 9110 §13.1.5).
  func holds(ifRange: String) -> Bool {
    guard !ifRange.hasPrefix("W/") else { return false }
    if ifRange.hasPrefix("\"") { return ifRange == entityTag }
    return ifRange == lastModified && date != nil && lastModified != date
  }
}
