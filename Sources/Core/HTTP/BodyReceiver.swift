// Where the body of a download goes while it comes.

/// Takes the body of one answer as it comes.
///
/// The calls come from the one thread that owns libcurl, in order and never two at once; what they block, all transfers
/// wait for.
public protocol BodyReceiver: AnyObject, Sendable {
  /// The request is sent now: its turn has come.
  func begin()

  /// The head of a 2xx answer is whole; called once, before the first byte, and for an empty body too.
  /// The body of what is given here is empty.
  func begin(_ head: Response) -> BodyVerdict

  /// The next bytes, valid only during the call.
  func receive(_ bytes: UnsafeRawBufferPointer) -> BodyVerdict
}

/// What a receiver says to what it was given.
public enum BodyVerdict: Hashable, Sendable {
  /// Go on.
  case goOn
  /// Nothing more is wanted; the exchange ends, and that is no failure.
  case enough
  /// The exchange fails.
  case failed(FetchFailure)
}
