// What one round of a run has to do, decided from the store under the run lock.

import Model
import Planning
import Timing

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
  /// The pushes that ride along.
  var pushes: RoundPushes
  /// When the person looks, of the feeds that adapt to it.
  let habits: [FeedName: Habit]
  /// The pushes that bring a file of their own, with their feeds.
  var files: [(push: StoredPush, feed: FeedSpec)] = []
  /// All pushes that wait, taken or not.
  let waiting: [StoredPush]

  /// Whether there is nothing to do.
  var isEmpty: Bool { plan.due.isEmpty && files.isEmpty }

  /// How many feeds and files are due.
  var dueCount: Int { plan.due.count + files.count }

  /// Reads the store and decides.
  ///
  /// - Parameters:
  ///   - settings: the configuration.
  ///   - options: what the run is asked to do.
  ///   - effects: the world.
  ///   - isFurther: whether the run has had a round already, so that only what pushes ask for is due.
  /// - Throws: what the store throws.
  init(
    _ settings: Settings, _ options: RunOptions, _ effects: Effects, isFurther: Bool
  ) async throws {
    now = effects.machine.now()
    try await effects.store.settleInterrupted(now)
    states = statesToday(settings, try await effects.store.states())
    hosts = try await effects.store.hosts()
    waiting = try await effects.store.pushes()
    let demands = try await waitingDemands(settings, states, effects.store, at: now)
    let adapting = settings.feeds.filter(\.adaptsToHabits).map(\.name)
    habits = adapting.isEmpty ? [:] : try await effects.store.habits(adapting)
    var options = options
    if isFurther { (options.named, options.isForced) = ([], false) }
    let context = planningContext(
      settings, options, effects.machine, hosts: hosts, at: now, pushes: demands,
      habits: habits)
    plan = duePlan(settings.feeds, states, context)
    if isFurther { plan.due.removeAll { !$0.decision.isByPush } }
    pushes = RoundPushes(
      demands: demands, caused: Set(plan.due.filter(\.decision.isByPush).map(\.feed.name)))
    guard !demands.isEmpty else { return }
    for feed in settings.feeds where feed.push.url != nil {
      guard let demand = demands[feed.name], options.named.isEmpty || options.named.contains(feed.name),
        pushDecision(feed, states[feed.name] ?? FeedState(), context).isDue
      else { continue }
      let allowance = demand.allowance(feed.push.limit, at: now)
      files += demand.ready(at: now).prefix(allowance).map { ($0, feed) }
    }
  }
}
