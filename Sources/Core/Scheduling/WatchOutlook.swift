// What a run that stays has to do now, and when there will be something to do.

/// Something that a cycle of a run that stays is begun for.
public enum WatchDemand: Hashable, Sendable {
  /// A feed is due by its rules, since a moment; nil if none ever held it. Fetched and due again, it is another one.
  case feed(FeedName, since: Instant?)
  /// Pushes of a feed may be taken, up to the one with this number.
  case push(FeedName, Int64)
  /// The time of a delivery has come.
  case deliveries
}

/// What a run that stays finds when it looks around.
public struct WatchOutlook: Hashable, Sendable {
  /// What there is to do now.
  public var due: Set<WatchDemand>
  /// When another feed is due, if nothing changes; nil if none ever is.
  public var next: Instant?
  /// When the time of another delivery comes; nil if it never does.
  public var deliveries: Instant?
  /// When transfers may go on, which is now or later; nil if none ever does, or none is to.
  public var transfers: Instant?

  /// An outlook; on nothing, unless told otherwise.
  public init(
    due: Set<WatchDemand> = [], next: Instant? = nil, deliveries: Instant? = nil, transfers: Instant? = nil
  ) {
    self.due = due
    self.next = next
    self.deliveries = deliveries
    self.transfers = transfers
  }
}

/// The feeds that are due, and when the next of the others is.
///
/// A feed that a run would wait for is not due yet: whoever stays can be there at the very moment.
///
/// - Parameters:
///   - feeds: all configured feeds.
///   - states: what is remembered of them, as `stateUnderConfiguration` returns it.
///   - context: a run that names no feed.
/// - Returns: an outlook on feeds alone.
public func watchOutlook(
  _ feeds: [FeedSpec], _ states: [FeedName: FeedState], _ context: PlanningContext
) -> WatchOutlook {
  let unknown = FeedState()
  var outlook = WatchOutlook()
  for feed in feeds {
    let state = states[feed.name] ?? unknown
    let decision = dueDecision(feed, state, context)
    // None waits, mostly: then the feed's name is not even looked up.
    let push = context.pushes.isEmpty ? nil : context.pushes[feed.name]?.pushes.map(\.number).max()
    if let push, decision.isByPush {
      outlook.take(decision, as: .push(feed.name, push))
    } else {
      outlook.take(decision, as: .feed(feed.name, since: decision.reachedAt))
    }
    // A push that brings a file of its own does not make the feed due.
    if let push, feed.push.url != nil {
      outlook.take(pushDecision(feed, state, context), as: .push(feed.name, push))
    }
  }
  return outlook
}

extension WatchOutlook {
  fileprivate mutating func take(_ decision: DueDecision, as demand: @autoclosure () -> WatchDemand) {
    if let moment = decision.waitUntil {
      note(moment)
    } else if decision.isDue {
      due.insert(demand())
    } else {
      note(decision.dueAt)
    }
  }

  private mutating func note(_ moment: Instant?) {
    guard let moment else { return }
    next = next.map { min($0, moment) } ?? moment
  }
}

extension DueDecision {
  /// When the last rule that held the feed let go; nil if none ever held it.
  fileprivate var reachedAt: Instant? {
    if case .reached(_, let moment) = reason { moment } else { nil }
  }
}
