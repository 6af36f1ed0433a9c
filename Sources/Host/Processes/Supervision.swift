// Decides when a command is asked to end, made to end, and done with. ProcessLoop carries it out.

/// The life of one command as plain bookkeeping: facts in, the next step out.
///
/// Times are monotonic milliseconds. Once the leader has exited by itself its result counts, and what it left
/// in the background is left alone, as a shell does. After a time limit or a cancellation the whole group has
/// to go, the leader's own end notwithstanding. Who cancels is himself out of time, so that each wait is shorter then.
struct Supervision {
  /// What is to be done now.
  enum Step: Hashable {
    case terminateGroup
    case killGroup
    case finish(CommandEnding)
  }

  /// What can be seen now.
  struct Facts {
    /// How the leader ended, nil while it runs.
    var leader: CommandEnding?
    /// Whether somebody can still write to standard output or error.
    var isOutputOpen: Bool
    /// Whether the task was cancelled.
    var isCancelled: Bool
  }

  private enum Stage {
    case running
    case terminating(CommandEnding, killAt: Int64)
    case killing(CommandEnding, giveUpAt: Int64)
    case draining(CommandEnding, until: Int64)
    case finished
  }

  /// How long the last output may take after the end; a background process may hold the pipes for ever.
  static let drain: Int64 = 100
  /// How often the group is looked at between the leader's end and `SIGKILL`.
  static let look: Int64 = 20
  /// How long a killed process may take to go; one that waits for a dead disk or server in the kernel takes
  /// longer.
  static let killPatience: Int64 = 5000
  /// The longest wait after a cancellation, for `SIGTERM` to be obeyed and again for `SIGKILL` to be carried out: with
  /// `drain`, less than a second in all.
  static let haste: Int64 = 400

  private let deadline: Int64?
  private let grace: Int64
  private var stage = Stage.running
  private var leaderHasEnded = false

  init(startedAt now: Int64, limit: Duration?, grace: Duration) {
    deadline = limit.map { now + Self.bounded($0) }
    self.grace = Self.bounded(grace)
  }

  /// A length that can be added to a time without overflow.
  private static func bounded(_ length: Duration) -> Int64 {
    max(0, min(length, .seconds(1 << 40)).milliseconds)
  }

  /// The next step, nil if there is nothing to do now; to be asked again after each step.
  ///
  /// - Parameters:
  ///   - now: the present time.
  ///   - facts: what can be seen now.
  ///   - groupLives: whether a process of the group is alive; asked only when it matters.
  /// - Returns: what is to be done before asking again.
  mutating func step(at now: Int64, _ facts: Facts, groupLives: () -> Bool) -> Step? {
    leaderHasEnded = facts.leader != nil
    switch stage {
    case .running:
      if let ending = facts.leader {
        stage = .draining(ending, until: now + Self.drain)
        return step(at: now, facts, groupLives: groupLives)
      }
      let isLate = deadline.map { now >= $0 } ?? false
      guard facts.isCancelled || isLate else { return nil }
      stage = .terminating(
        facts.isCancelled ? .cancelled : .timedOut,
        killAt: hastened(now + grace, at: now, facts))
      return .terminateGroup
    case .terminating(let ending, let planned):
      let killAt = hastened(planned, at: now, facts)
      stage = .terminating(ending, killAt: killAt)
      if leaderHasEnded, !groupLives() {
        stage = .draining(ending, until: now + Self.drain)
        return step(at: now, facts, groupLives: groupLives)
      }
      guard now >= killAt else { return nil }
      stage = .killing(ending, giveUpAt: hastened(now + Self.killPatience, at: now, facts))
      return .killGroup
    case .killing(let ending, let planned):
      let giveUpAt = hastened(planned, at: now, facts)
      stage = .killing(ending, giveUpAt: giveUpAt)
      guard leaderHasEnded && !groupLives() || now >= giveUpAt else { return nil }
      stage = .draining(ending, until: now + Self.drain)
      return step(at: now, facts, groupLives: groupLives)
    case .draining(let ending, let until):
      guard !facts.isOutputOpen || now >= until else { return nil }
      stage = .finished
      return .finish(ending)
    case .finished:
      return nil
    }
  }

  /// A planned moment, or a nearer one after a cancellation.
  private func hastened(_ planned: Int64, at now: Int64, _ facts: Facts) -> Int64 {
    facts.isCancelled ? min(planned, now + Self.haste) : planned
  }

  /// When to ask again if nothing happens before; nil is never.
  func nextLook(after now: Int64) -> Int64? {
    switch stage {
    case .running: deadline
    case .terminating(_, let end), .killing(_, let end): leaderHasEnded ? min(end, now + Self.look) : end
    case .draining(_, let until): until
    case .finished: nil
    }
  }
}
