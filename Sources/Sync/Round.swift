// What one round of a run has to do, decided from the store under the run lock.

import Core

/// One round, planned.
struct Round: Sendable {
  /// What it read and decided by.
  let now: Instant
  /// What is remembered of every feed.
  let states: [FeedName: FeedState]
  /// What is remembered of every host.
  let hosts: [String: HostState]
  /// The feeds that are fetched, and the others.
  var plan: DuePlan
  /// The pushes that ride along with a fetch of their feed.
  let pushes: RoundPushes
  /// When the person looks, of the feeds that adapt to it.
  let habits: [FeedName: Habit]
  /// The pushes that bring a file of their own, with their feeds.
  let files: [(push: StoredPush, feed: FeedSpec)]
  /// All pushes that wait and were looked at, taken or not.
  let waiting: [StoredPush]

  /// Whether there is nothing to do.
  var isEmpty: Bool { plan.due.isEmpty && files.isEmpty }

  /// The hosts that it asks, redirects aside, one for each feed.
  var hostsToAsk: [String] {
    (plan.due.map(\.feed) + files.map(\.feed)).map { $0.hostToAsk(states[$0.name]) }
  }

  /// When a feed that is skipped becomes due; nil if none does.
  var nextDue: Instant? { plan.skipped.compactMap(\.decision.dueAt).filter { $0 > now }.min() }

  /// Whether it is pushes that brought it about.
  var isOfPushes: Bool { plan.due.allSatisfy(\.decision.isByPush) }

  /// How many feeds and files are due.
  var dueCount: Int { plan.due.count + files.count }

  /// Reads the store and decides.
  ///
  /// - Parameters:
  ///   - settings: the configuration.
  ///   - options: what the run is asked to do.
  ///   - effects: the world.
  ///   - isFurther: whether the run has had a round already, so that only what pushes ask for is due, or in a run that
  ///     stays what became due since.
  ///   - busy: the hosts that rounds ask that are under way, whose feeds are left to a later one; nil if none is under
  ///     way.
  /// - Throws: what the store throws.
  init(
    _ settings: Settings, _ options: RunOptions, _ effects: Effects, isFurther: Bool,
    besides busy: Set<String>? = nil
  ) async throws {
    now = effects.machine.now()
    // What is in flight now would be taken for what a crash left.
    if busy == nil { try await effects.store.settleInterrupted(now) }
    states = statesToday(settings, try await effects.store.states())
    hosts = try await effects.store.hosts()
    var waiting = try await effects.store.pushes()
    var demands = try await waitingDemands(settings, states, effects.store, at: now)
    if let busy {
      let held = settings.feeds.filter { [states] in busy.contains($0.hostToAsk(states[$0.name])) }.map(
        \.name)
      demands = demands.filter { !held.contains($0.key) }
      waiting.removeAll { held.contains($0.feed) }
    }
    self.waiting = waiting
    let adapting = settings.feeds.filter(\.adaptsToHabits).map(\.name)
    habits = adapting.isEmpty ? [:] : try await effects.store.habits(adapting)
    var options = options
    if isFurther { (options.named, options.isForced) = ([], false) }
    let context = planningContext(
      settings, options, effects.machine, hosts: hosts, at: now, pushes: demands,
      habits: habits)
    plan = duePlan(settings.feeds, states, context)
    if let busy { plan.due.removeAll { [states] in busy.contains($0.feed.hostToAsk(states[$0.feed.name])) } }
    // Whoever is there at the very moment fetches what becomes due meanwhile; other runs leave that to the next one.
    if isFurther, busy == nil || !options.isPunctual { plan.due.removeAll { !$0.decision.isByPush } }
    // A push that brings a file of its own has nothing to do with a fetch of its feed.
    let bringing =
      demands.isEmpty ? [] : Set(settings.feeds.lazy.filter { $0.push.url != nil }.map(\.name))
    pushes = RoundPushes(
      demands: demands.filter { !bringing.contains($0.key) },
      caused: Set(plan.due.filter(\.decision.isByPush).map(\.feed.name)))
    files = filePushes(settings.feeds, states, context)
  }
}
