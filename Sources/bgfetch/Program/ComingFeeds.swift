// The feeds that may be due soon, for looks ahead after a run and in `run --watch`.

import Core

/// The feeds that may be due soon or that pushes wait for, by the moments recorded with a note; all feeds without a note.
struct ComingFeeds {
  /// The input of planning, without habits.
  let context: PlanningContext
  /// The next of the other feeds, and when it is due.
  let next: (feed: FeedName, at: Instant)?
  /// Nil means all feeds.
  private let names: [FeedName]?
  var isOfAll: Bool { names == nil }
  private let feeds: FeedList
  /// The hosts that runs of other machines have claimed: these fetch their feeds.
  private let claimed: Set<String>
  private let store: any CommandStore

  /// Reads the store; the note is that of the options.
  init(
    _ settings: Settings, _ store: any CommandStore, _ options: RunOptions, _ invocation: Invocation
  ) async throws {
    context = try await invocation.planningContext(of: [], settings, store, options: options)
    feeds = settings.feeds
    claimed = try await store.claimedHosts()
    self.store = store
    let now = context.now
    guard let note = options.dueNote, let due = try await store.mayBeDue(note, at: now, share: settings.share)
    else {
      (names, next) = (nil, nil)
      return
    }
    names = due + Set(try await store.waitingPushes().map(\.feed)).subtracting(due)
    next = try await store.nextDue(after: now + DueDecision.longestWait)
  }

  /// Calls `body` with the feeds in parts, their states and the input of planning, until it returns false.
  func forEachPart(_ body: ([FeedSpec], [FeedName: FeedState], PlanningContext) -> Bool) async throws {
    for part in feeds.parts(of: names) {
      guard try await show(part, to: body) else { return }
    }
  }

  private func show(
    _ feeds: [FeedSpec], to body: ([FeedSpec], [FeedName: FeedState], PlanningContext) -> Bool
  ) async throws -> Bool {
    let states = statesToday(feeds, try await store.feedStates(of: feeds.map(\.name)))
    let feeds = feeds.filter { !claimed.contains($0.hostToAsk(states[$0.name] ?? FeedState())) }
    let adapting = feeds.filter(\.adaptsToHabits).map(\.name)
    let habits = adapting.isEmpty ? [:] : try await store.habits(of: adapting)
    return body(feeds, states, habits.isEmpty ? context : context.adapting(to: habits))
  }
}
