// What a hook's end means for its delivery.

/// How a hook ended.
public enum HookEnd: Hashable, Sendable {
  /// It exited, with the first line it printed and the end of its error output.
  case exited(Int32, printed: String, errors: String)
  /// A signal ended it.
  case signalled(Int32)
  /// It took longer than allowed, and its process group was ended.
  case timedOut
  /// It could not be started; the text says why.
  case couldNotStart(String)
  /// The run was told to stop, and its process group was ended.
  case suspended
}

extension DeliveryEnd {
  /// The end of a message that has nothing left to say: no hook is run for it.
  public static func nothingToSay(at now: Instant) -> DeliveryEnd {
    DeliveryEnd(.dropped, notBefore: now, isCounted: false)
  }
}

/// Says what becomes of a delivery.
///
/// Exit status 0 is delivered, 75 (`EX_TEMPFAIL`, sysexits.h(3)) is tried again in five minutes without counting,
/// anything else counts as a failed attempt: the next one comes after 1, 3, 9, 27 … minutes, at most six hours, and the
/// delivery is dead when the hook's retries are used up. What is best effort is tried once and then dropped.
public func deliveryEnd(_ end: HookEnd, _ delivery: Delivery, _ hook: HookSpec, at now: Instant)
  -> DeliveryEnd
{
  let error: String
  switch end {
  case .exited(0, _, _):
    return DeliveryEnd(.delivered, notBefore: now, error: nil, isCounted: true)
  case .exited(75, _, let errors) where !delivery.event.kind.isBestEffort:
    return DeliveryEnd(
      .pending, notBefore: now + .minutes(5), error: describe("exit status 75", errors),
      isCounted: false)
  case .suspended:
    return DeliveryEnd(
      delivery.event.kind.isBestEffort ? .dropped : .pending, notBefore: now, error: nil,
      isCounted: false)
  case .exited(let status, _, let errors): error = describe("exit status \(status)", errors)
  case .signalled(let signal): error = "ended by signal \(signal)"
  case .timedOut: error = "took longer than \(hook.timeout.text)"
  case .couldNotStart(let why): error = why
  }
  // Nobody has to mend what was only worth telling at the moment: a status bar that is not running.
  guard !delivery.event.kind.isBestEffort else {
    return DeliveryEnd(.dropped, notBefore: now, error: error, isCounted: true)
  }
  guard delivery.attempts <= hook.retries else {
    return DeliveryEnd(.dead, notBefore: now, error: error, isCounted: true)
  }
  var minutes: Int64 = 1
  for _ in 1..<max(1, delivery.attempts) { minutes = min(360, minutes * 3) }
  return DeliveryEnd(.pending, notBefore: now + .minutes(minutes), error: error, isCounted: true)
}

private func describe(_ what: String, _ errors: String) -> String {
  let said = cleanText(errors, limit: 200)
  return said.isEmpty ? what : "\(what): \(said)"
}
