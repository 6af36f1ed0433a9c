// A delay that keeps those who were sent away together from coming back together.

/// Up to 10 % of a wait, at most 10 min, the same each time for one machine and feed.
///
/// It is added, never taken away: what a server or a rule asked for is not undercut.
func jitter(on wait: Interval, machine: String, feed: FeedName) -> Interval {
  var fingerprint = Fingerprint()
  fingerprint.add(machine)
  fingerprint.add(feed.text)
  let share = Int64(spread(fingerprint.value) % 1001)
  // Bounded before it is multiplied, as a wait may be any length: 6,000 s is what 10 min is a tenth of.
  return .seconds(min(wait.seconds, 6000) * share / 10_000)
}

/// Stirs the bits of a fingerprint (the finaliser of MurmurHash3), whose upper ones hardly differ for `feed1`
/// and `feed2`.
private func spread(_ value: UInt64) -> UInt64 {
  var bits = value
  bits = (bits ^ (bits >> 33)) &* 0xFF51_AFD7_ED55_8CCD
  bits = (bits ^ (bits >> 33)) &* 0xC4CE_B9FE_1A85_EC53
  return bits ^ (bits >> 33)
}

/// What is added to a server's length of time because moments are whole seconds, rounded down.
///
/// An answer that came at 10:00:00.9 and asks for an hour is stored as 10:00:00; an hour later it would
/// still be 0.9 s too early.
let wholeSecond = Interval.seconds(1)
