// The conditions under which feeds are fetched and files downloaded: power, network, and what a command says.

/// The conditions of `when`: what must hold before something is fetched, and how long it waits at most.
public struct Conditions: Equatable, Sendable {
  public var power = Power.any
  public var network = Network.any
  /// A program and its arguments, which says yes by the exit status 0; empty for none.
  public var command: [String] = []
  /// How long something that is due waits at most.
  public var atLatest = Interval.days(2)

  public init() {}

  public enum Power: String, Sendable, CaseIterable {
    case any
    /// Not on battery.
    case ac
  }

  public enum Network: String, Sendable, CaseIterable {
    case any, unmetered
  }
}

/// The state of the machine that conditions are about.
///
/// Power and network that are not known are never a reason to wait. A command that does not say yes always is.
public struct Surroundings: Sendable {
  public var isOnMains: Bool?
  public var isMetered: Bool?
  /// The name of the network.
  public var network: String?
  /// The answer of the command of the conditions; nil if it was not asked.
  public var answer: CommandAnswer?

  public init() {}
}

/// The answer of a command of conditions.
public enum CommandAnswer: Equatable, Sendable {
  case yes
  /// No success, with the way in which the command ended, for example `exited with status 1`.
  case no(String)
}

extension Conditions {
  /// The condition that does not hold, in words such as `waits for an unmetered network (phone)`; nil if all hold.
  func reasonToWait(in now: Surroundings) -> String? {
    if power == .ac, now.isOnMains == false { return Self.wait("for mains power", nil) }
    if network == .unmetered, now.isMetered == true {
      return Self.wait("for an unmetered network", now.network)
    }
    guard !command.isEmpty else { return nil }
    switch now.answer {
    case .yes: return nil
    case .no(let ending): return Self.wait("for " + commandText, ending)
    case nil: return Self.wait("for " + commandText, "not asked")
    }
  }

  private static func wait(_ what: String, _ detail: String?) -> String {
    waitBeginning + what + (detail.map { " (\(cleanText($0, limit: 200)))" } ?? "")
  }

  private var commandText: String { "the command " + cleanText(command.joined(separator: " "), limit: 100) }

  /// Whether there is any condition, so that the machine has to be looked at.
  var areAny: Bool { power != .any || network != .any || !command.isEmpty }

  /// The beginning of each reason to wait, by which the reason of a transfer is told from others.
  public static let waitBeginning = "waits "

  /// The conditions in words, such as `mains power, unmetered network (not known); 2d at most`.
  func text(in now: Surroundings) -> String {
    func part(_ what: String, _ isKnown: Bool) -> String { what + (isKnown ? "" : " (not known)") }
    let parts = [
      power == .ac ? part("mains power", now.isOnMains != nil) : nil,
      network == .unmetered ? part("unmetered network", now.isMetered != nil) : nil,
      command.isEmpty ? nil : commandText,
    ].compactMap(\.self)
    return (parts.isEmpty ? "any" : parts.joined(separator: ", ")) + "; \(atLatest.text) at most"
  }
}

/// The commands that decide whether feeds are fetched now, because everything else allows it.
///
/// - Parameters:
///   - feeds: the feeds that may be due.
///   - states: their states, as `stateUnderConfiguration` returns them.
///   - context: the run, in which a command that was not asked yet is a reason to wait.
public func commandsToAsk(
  _ feeds: [FeedSpec], _ states: [FeedName: FeedState], _ context: PlanningContext
) -> Set<[String]> {
  var commands: Set<[String]> = []
  for feed in feeds {
    guard let conditions = feed.conditions, !conditions.command.isEmpty else { continue }
    let state = states[feed.name] ?? FeedState()
    let hasFile = feed.push.url != nil && context.pushes[feed.name] != nil
    let pushed = hasFile ? pushDecision(feed, state, context).waitReason : nil
    guard dueDecision(feed, state, context).waitReason ?? pushed != nil else { continue }
    var surroundings = context.surroundings(conditions)
    surroundings.answer = .yes
    if conditions.reasonToWait(in: surroundings) == nil { commands.insert(conditions.command) }
  }
  return commands
}

extension Transfer {
  /// The transfer as it waits for a condition, until its longest wait ends; nil if it may start, or continue.
  ///
  /// A file that is known to be large waits for an unmetered network too, unless the person asked for it. A moment of queueing
  /// that is still ahead was stored before the clock was set back; the wait begins now instead.
  public func waiting(
    _ download: DownloadSpec, at now: Instant, _ look: (Conditions) -> Surroundings
  ) -> Transfer? {
    var conditions = download.conditions ?? Conditions()
    if isLarge { conditions.network = .unmetered }
    let began = min(queued, now)
    let end = began + conditions.atLatest
    guard conditions.areAny, end > now, reason != Self.askedFor,
      let reason = conditions.reasonToWait(in: look(conditions))
    else { return nil }
    var next = self
    next.status = .suspended
    next.reason = reason
    next.queued = began
    // The queue takes a moment further ahead for a mistake of the clock.
    next.notBefore = end < now + TransferQueue.longestWait ? end : nil
    return next
  }

  /// The maximum size of a file that does not wait for an unmetered network.
  ///
  /// It is a podcast of half an hour, and a fiftieth of a small mobile plan.
  public static let mostOnMeteredNetwork = ByteCount(20 << 20)

  /// Whether the file is known to be too large for a metered network: by the server, else by the document or by the bytes
  /// received so far.
  public var isLarge: Bool {
    let size = partial.total ?? max(asset.plausibleLength ?? 0, partial.bytes)
    return size > Self.mostOnMeteredNetwork.bytes
  }

  /// The reason of a transfer that the person asked for, so that it waits for no condition.
  public static let askedFor = "asked for"

  /// Whether it waits for a condition.
  public var isWaiting: Bool { status == .suspended && reason?.hasPrefix(Conditions.waitBeginning) ?? false }
}

/// A wait for a condition in words, for example `waits for mains power, at the latest until 2026-11-29 09:00:00`.
public func waitText(_ reason: String, until moment: Instant, in zone: Zone) -> String {
  "\(reason), at the latest until \(moment.local(in: zone))"
}
