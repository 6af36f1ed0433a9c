// A stand-in: when the time of a delivery comes, as far as retries go.

public import Timing

extension Store {
  /// The next moment after now at which the time of a delivery that waits comes; nil where there is none.
  public func nextDeliveryMoment(
    after now: Instant, hooks: Set<String>? = nil
  ) throws(StoreFailure) -> Instant? {
    try database.value(
      """
      SELECT min(max(coalesce(not_before, 0), coalesce(held_until, 0))) FROM delivery
      WHERE status = 'pending' AND max(coalesce(not_before, 0), coalesce(held_until, 0)) > ?1
      """, now)
  }
}
