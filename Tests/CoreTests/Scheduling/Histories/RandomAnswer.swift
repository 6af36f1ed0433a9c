// Random responses of servers, as the program sees them and as the judge does.

@testable import Core

/// A response, or a failure.
struct RandomAnswer {
  var kind: Answered.Kind
  var response: Response?
  var failure: FetchFailure?
  /// The hours that the document asks to skip; nil if there is no document.
  var hints: FeedHints?

  /// No host can be reached.
  static let offline = RandomAnswer(kind: .uncounted, failure: .offline)

  /// Mostly a document or a 304, often with freshness; otherwise a failure of any kind.
  init(using numbers: inout SeededNumbers) {
    switch Int.random(in: 0..<100, using: &numbers) {
    case 0..<35: self.init(document: &numbers)
    case 35..<60: self.init(notModified: &numbers)
    case 60..<74: self.init(limited: &numbers)
    case 74..<80: self.init(kind: .transient, failure: .timeout(.seconds(60)))
    case 80..<84: self.init(kind: .transient, failure: .unresolved(host: "a.example", detail: ""))
    case 84..<88: self.init(kind: .transient, response: reply(500), failure: .status(500))
    case 88..<93: self.init(kind: .refused, response: reply(404), failure: .status(404))
    case 93..<98: self.init(kind: .gone, response: reply(410), failure: .status(410))
    default: self.init(kind: .uncounted, failure: .suspended)
    }
  }

  private init(
    kind: Answered.Kind, response: Response? = nil, failure: FetchFailure? = nil, hints: FeedHints? = nil
  ) {
    (self.kind, self.response, self.failure, self.hints) = (kind, response, failure, hints)
  }

  private init(document numbers: inout SeededNumbers) {
    var (fields, maxAge) = Self.freshness(&numbers)
    let hasValidators = Int.random(in: 0..<4, using: &numbers) != 0
    if hasValidators { fields.append(("ETag", "\"1\"")) }
    var hints = FeedHints()
    if Int.random(in: 0..<4, using: &numbers) == 0 {
      hints.timeToLive = .minutes(.random(in: 0...3000, using: &numbers))
    }
    if Int.random(in: 0..<6, using: &numbers) == 0 {
      hints.updateInterval = .minutes(.random(in: 0...3000, using: &numbers))
    }
    if Int.random(in: 0..<6, using: &numbers) == 0 {
      hints.skipHours = Set((0..<4).map { _ in .random(in: 0..<24, using: &numbers) })
    }
    let document = [hints.timeToLive, hints.updateInterval].compactMap(\.self).max()
    self.init(
      kind: .good(maxAge: maxAge, document: document, validators: hasValidators ? .given : .none),
      response: reply(200, fields), hints: hints)
  }

  private init(notModified numbers: inout SeededNumbers) {
    let (fields, maxAge) = Self.freshness(&numbers)
    self.init(kind: .good(maxAge: maxAge, document: nil, validators: .kept), response: reply(304, fields))
  }

  private init(limited numbers: inout SeededNumbers) {
    let status = Int.random(in: 0..<3, using: &numbers) == 0 ? 503 : 429
    var (fields, maxAge) = Self.freshness(&numbers)
    var wait: Interval?
    if Int.random(in: 0..<3, using: &numbers) != 0 {
      let seconds = [1, 60, 3600, 86_400, 900_000].randomElement(using: &numbers) ?? 60 as Int64
      wait = .seconds(.random(in: 1...seconds, using: &numbers))
      fields.append(("Retry-After", String(wait?.seconds ?? 0)))
    }
    self.init(
      kind: .limited(status: status, retryAfter: wait, maxAge: maxAge), response: reply(status, fields),
      failure: .rateLimited(status: status, retryAfter: wait))
  }

  /// Often nothing; `max-age` with or without `Age`, or `Expires`.
  private static func freshness(_ numbers: inout SeededNumbers) -> ([(String, String)], Interval?) {
    let longest = [60, 3600, 86_400, 1_000_000].randomElement(using: &numbers) ?? 60 as Int64
    let seconds = Int64.random(in: 0...longest, using: &numbers)
    switch Int.random(in: 0..<8, using: &numbers) {
    case 0: return ([("Cache-Control", "public, max-age=\(seconds)")], .seconds(seconds))
    case 1:
      let age = Int64.random(in: 0...seconds, using: &numbers)
      return ([("Cache-Control", "max-age=\(seconds)"), ("Age", String(age))], .seconds(seconds - age))
    case 2: return ([("Cache-Control", "no-cache"), ("Expires", "0")], nil)
    case 3:
      let dates = [("Date", "Mon, 02 Nov 2026 10:00:00 GMT"), ("Expires", "Mon, 02 Nov 2026 13:00:00 GMT")]
      return (dates, .hours(3))
    default: return ([], nil)
    }
  }

  /// The program's reading of it.
  func change(of state: FeedState, by attempt: FetchAttempt) -> StateChange {
    if let failure { return stateAfterFailure(state, attempt, failure: failure, reason: "") }
    var change = stateAfterSuccess(state, attempt, result: .noData, reason: "", hints: hints)
    guard let response else { return change }
    change.state.validators =
      response.status == 304
      ? state.validators.refreshed(by: response) : Validators(from: response, at: "", now: attempt.started)
    return change
  }
}
