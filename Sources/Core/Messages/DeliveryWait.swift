// The reasons for which deliveries wait, for `bgfetch hooks`.

/// The reason why a delivery is still pending.
public enum DeliveryWait: Hashable, Sendable {
  /// Its hook, which the configuration does not have.
  case hook
  /// The end of the feed's `delay` or the beginning of its hours, or the moment of a digest.
  case moment(Instant)
  /// A session bus, which the hook needs; the delivery expires at this age.
  case session(Interval)
  /// The next attempt after a failed one, which may be made from this moment on.
  case attempt(Instant, error: String)
  /// The files of its items, at the longest until this moment.
  case files(Instant)
  /// The next run.
  case run
}

/// Finds the reason why a delivery is still pending.
///
/// - Parameters:
///   - hook: its hook; nil if the configuration has none of this name.
///   - hasSession: whether there is a session bus.
public func deliveryWait(
  _ delivery: Delivery, _ hook: HookSpec?, hasSession: Bool, at now: Instant
) -> DeliveryWait {
  guard let hook else { return .hook }
  if let moment = [delivery.postponedUntil, delivery.triggerAt].compactMap({ $0 }).max(), moment > now {
    return .moment(moment)
  }
  if hook.needsSessionBus, !hasSession { return .session(hook.expires) }
  if let error = delivery.lastError { return .attempt(delivery.notBefore, error: error) }
  if let moment = delivery.readyBy, moment > now { return .files(moment) }
  return .run
}
