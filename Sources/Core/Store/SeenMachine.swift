// The machines that share a store, as they show themselves, and what is wrong with them; the pause of all of them.

/// A machine that shares a store.
public struct SeenMachine: Hashable, Sendable {
  public var name: String
  /// Its state directory, which tells machines of one name apart.
  public var directory: String
  /// The version of its program.
  public var version: String
  /// The sections of its configuration that all machines have in common.
  public var configuration: SharedSections
  /// How often it gives signs of life, or its runs begin; nil if that is not known.
  public var period: Interval?
  public var lastSign: Instant
  /// How far its clock is ahead of the server's, in milliseconds; negative if it is behind.
  public var clockLead: Int64
  /// The fetches of its runs that have ended, by result.
  public var fetches: [FetchResult: Int] = [:]

  public init(
    name: String, directory: String, version: String, configuration: SharedSections, period: Interval?,
    lastSign: Instant, clockLead: Int64
  ) {
    (self.name, self.directory, self.version) = (name, directory, version)
    (self.configuration, self.period) = (configuration, period)
    (self.lastSign, self.clockLead) = (lastSign, clockLead)
  }

  /// How often `run --watch` gives a sign of life.
  public static let watchPeriod = Interval.seconds(30)
  /// How far a clock may be off, in milliseconds.
  static let clockTolerance: Int64 = 5000

  /// The reasons to look after it.
  ///
  /// - Parameter agreed: the configuration of all machines; nil if no run has begun yet.
  public func problems(at now: Instant, agreed: AgreedConfiguration?) -> [MachineProblem] {
    let silence = now.since(lastSign)
    if let period, silence.seconds > 3 * max(period, Self.watchPeriod).seconds {
      return [.silent(silence)]
    }
    var problems: [MachineProblem] = []
    let sections = agreed?.differences(from: configuration, at: now) ?? []
    if !sections.isEmpty { problems.append(.otherConfiguration(sections)) }
    if abs(clockLead) > Self.clockTolerance { problems.append(.clock(lead: clockLead)) }
    return problems
  }
}

/// A reason to look after a machine.
public enum MachineProblem: Hashable, Sendable {
  /// It has given no sign of life for three of its periods.
  case silent(Interval)
  /// These sections of its configuration are not those of all machines.
  case otherConfiguration([String])
  /// Its clock is wrong by so many milliseconds.
  case clock(lead: Int64)
}

/// A pause of all machines that share a store: no fetch, download or hook begins.
public struct FleetPause: Hashable, Sendable {
  /// The reason that a person gave; may be empty.
  public var reason: String
  public var since: Instant
  /// When it ends by itself; nil means never.
  public var until: Instant?
  /// The machine on which it was ordered.
  public var machine: String

  public init(reason: String, since: Instant, until: Instant?, machine: String) {
    (self.reason, self.since, self.until, self.machine) = (reason, since, until, machine)
  }
}
