// The notices of a run, which only their reader acts on.

package import Core

/// A notice of a run, which only its reader acts on; `check` and `status` give those about directories, too.
package enum RunNotice: Equatable, Sendable {
  /// A round with something to do began.
  case started(due: Int, paused: Int)
  /// The machine is offline or behind a captive portal, so that this many feeds were not reached.
  case offline(feeds: Int, portal: String?)
  /// A feed that was renamed in the configuration keeps its items, listed ones of this number.
  case renamed(FeedRename, items: Int)
  /// A feed that got another address in the configuration keeps its items.
  case readdressed(FeedName, former: String, items: Int)
  /// Feeds with items left the configuration, while others came; so many unseen ones no longer count in the badge.
  case left([FeedName], unseen: Int)
  /// A permanent redirect was stored, or forgotten.
  case moved(FeedName, MoveChange)
  /// The budget is nearly used up; this many feeds are left for a later run.
  case expired(left: Int)
  /// The budget of the downloads is nearly used up; this many transfers are left.
  case transfersExpired(left: Int)
  /// The run waits for a message that is due in a moment; everything else is done.
  case waitingForMessage(Interval)
  /// The run waits for the data of a push that came too early; everything else is done.
  case waitingForLateData(Interval)
  /// A delivery failed, and is tried again.
  case deliveryFailed(hook: String, event: EventKind, reason: String, nextAttempt: Instant, zone: Zone)
  /// A delivery used up its retries.
  case deliveryLost(hook: String, event: EventKind, reason: String)
  /// Deliveries of a hook expired (the hook's key `expires`).
  case deliveriesExpired(hook: String, count: Int, age: Interval)
  /// `keep` removed a file.
  case transferRemoved(FeedName, PlacedFile)
  /// A documents directory has less space than `free-space`; transfers to it are suspended.
  case lowSpace(directory: String, free: ByteCount, least: ByteCount)
  /// A documents directory that was used before is missing or replaced; transfers to it are suspended.
  case directoryGone(directory: String)
  /// A documents directory cannot be written, with the reason in words.
  case directoryUnusable(directory: String, reason: String)
}
