// What an HTTP answer means before its body is read.

/// What an answer is.
public enum Answer: Hashable, Sendable {
  /// A document to read.
  case document
  /// Nothing changed since the validators (RFC 9110 section 15.4.5).
  ///
  /// A normal result, not a failure.
  case notModified
  /// It is no use; the failure says why.
  case failed(FetchFailure)
}

/// Says what an answer is.
///
/// - Parameters:
///   - response: the last answer of the chain.
///   - isConditional: whether validators were sent; a 304 to an unconditional request is no answer to it.
///   - now: what `Retry-After` dates are held against.
/// - Returns: a document, no change, or why it is no use.
public func answer(_ response: Response, isConditional: Bool, at now: Instant) -> Answer {
  // What asks to wait says so better by its time.
  if response.status != 429, let challenger = challenger(of: response) {
    return .failed(.challenged(challenger))
  }
  switch response.status {
  case 200, 203: return .document
  case 304 where isConditional: return .notModified
  case 429, 503:
    return .failed(
      .rateLimited(
        status: response.status, retryAfter: response["Retry-After"].flatMap { retryAfter($0, at: now) }))
  default: return .failed(.status(response.status))
  }
}
