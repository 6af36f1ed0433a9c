// What is due and what comes next, after a run and in `run --watch`.

import Core
import Store

extension Invocation {
  /// The feeds that are due, and the next of the others, with the input of planning.
  ///
  /// With the fingerprint of the options it reads only the feeds that may be due soon or that pushes wait for.
  func outlook(
    _ settings: Settings, _ store: Store, _ options: RunOptions
  ) async throws -> (DueOutlook, PlanningContext) {
    let context = try await planningContext(of: [], settings, store, options: options)
    // The runs of other machines fetch the feeds of the hosts that they have claimed.
    let claimed = try await store.claimedHosts()
    var outlook = DueOutlook()
    var names: [FeedName]?
    if let note = options.dueNote,
      let due = try await store.mayBeDue(note, at: context.now, share: settings.share)
    {
      names = due + Set(try await store.waitingPushes().map(\.feed)).subtracting(due)
      let next = try await store.nextDue(after: context.now + DueDecision.longestWait)
      outlook = DueOutlook(next: next.map { DueOutlook.NextFeed($0.feed, at: $0.at) })
    }
    for part in settings.feeds.parts(of: names) {
      let states = statesToday(part, try await store.feedStates(of: part.map(\.name)))
      let feeds = part.filter { !claimed.contains($0.hostToAsk(states[$0.name] ?? FeedState())) }
      let adapting = feeds.filter(\.adaptsToHabits).map(\.name)
      let habits = adapting.isEmpty ? [:] : try await store.habits(of: adapting)
      outlook.add(feeds, states, habits.isEmpty ? context : context.adapting(to: habits))
    }
    return (outlook, context)
  }
}
