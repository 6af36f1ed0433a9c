// Decides when a command gets SIGTERM, when SIGKILL, and when it is done. Child carries it out.

/// The state of one command: facts in, the next step out.
///
/// Times are monotonic milliseconds. If the leader exits by itself its result counts, and processes that it left in the
/// background keep running, as in a shell. After a time limit or a cancellation the whole group must end: it gets `SIGTERM`, and
/// `SIGKILL` once the leader has ended and nothing has its output open, or after the grace period. A cancelled run has little time
/// left, so each wait is shorter then.
struct Supervision {
  enum Step: Equatable {
    case terminateGroup
    case killGroup
    case finish(CommandEnding)
  }

  struct Facts {
    /// How the leader ended; nil while it runs.
    var leader: CommandEnding?
    /// Whether a process can still write to standard output or error.
    var isOutputOpen: Bool
    /// Whether the task was cancelled.
    var isCancelled: Bool
  }

  private enum Stage {
    case running
    case terminating(CommandEnding, killAt: Int64)
    case ending(CommandEnding, giveUpAt: Int64)
    case finished
  }

  /// The time limit for the last output after the end; a background process may keep the pipes open forever.
  static let drain: Int64 = 100
  /// How long to wait for a killed process; one that waits in the kernel for a dead disk or server takes longer.
  static let killPatience: Int64 = 5000
  /// The longest wait after a cancellation, once for `SIGTERM` and once for `SIGKILL`: less than a second in all.
  static let haste: Int64 = 400

  private let deadline: Int64?
  private let grace: Int64
  private var stage = Stage.running

  init(startedAt now: Int64, limit: Duration?, grace: Duration) {
    deadline = limit.map { now + Self.bounded($0) }
    self.grace = Self.bounded(grace)
  }

  /// The length in milliseconds, small enough to add to a time without overflow.
  private static func bounded(_ length: Duration) -> Int64 {
    max(0, min(length, .seconds(1 << 40)).milliseconds)
  }

  /// The next step; nil if there is nothing to do now.
  ///
  /// Call it again after each step.
  mutating func step(at now: Int64, _ facts: Facts) -> Step? {
    let hasEnded = facts.leader != nil && !facts.isOutputOpen
    /// A planned moment, or an earlier one after a cancellation.
    func hastened(_ planned: Int64) -> Int64 {
      facts.isCancelled ? min(planned, now + Self.haste) : planned
    }
    switch stage {
    case .running:
      if let ending = facts.leader {
        stage = .ending(ending, giveUpAt: now + Self.drain)
        return step(at: now, facts)
      }
      let isLate = deadline.map { now >= $0 } ?? false
      guard facts.isCancelled || isLate else { return nil }
      stage = .terminating(facts.isCancelled ? .cancelled : .timedOut, killAt: hastened(now + grace))
      return .terminateGroup
    case .terminating(let ending, let planned):
      let killAt = hastened(planned)
      stage = .terminating(ending, killAt: killAt)
      guard hasEnded || now >= killAt else { return nil }
      stage = .ending(ending, giveUpAt: hastened(now + Self.killPatience))
      return .killGroup
    case .ending(let ending, let planned):
      let giveUpAt = hastened(planned)
      stage = .ending(ending, giveUpAt: giveUpAt)
      guard hasEnded || now >= giveUpAt else { return nil }
      stage = .finished
      return .finish(ending)
    case .finished:
      return nil
    }
  }

  /// The time of the next check if nothing happens before; nil means never.
  var nextCheck: Int64? {
    switch stage {
    case .running: deadline
    case .terminating(_, let end), .ending(_, let end): end
    case .finished: nil
    }
  }
}
