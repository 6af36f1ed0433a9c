// The machines that share a store, as they show themselves, and what is wrong with them.

public import Core
public import Store

/// A machine that shares a store.
public struct SeenMachine: Sendable {
  /// A problem in one word, for scripts, and in a sentence with its cure.
  public typealias Problem = (word: String, text: String)

  /// The words of all problems.
  public static let problems = ["silent", "configuration", "clock"]
  /// How often `run --watch` gives a sign of life.
  public static let watchPeriod = Interval.seconds(30)

  public var name = ""
  /// Its state directory, which tells machines of one name apart.
  public var directory = ""
  /// The version of its program.
  public var version = ""
  /// The sections of its configuration that all machines have in common.
  public var configuration = SharedSections([:])
  /// How often it gives signs of life, or its runs begin; nil if that is not known.
  public var period: Interval?
  public var lastSign = Instant(secondsSince1970: 0)
  /// How far its clock is ahead of the server's, in milliseconds; negative if it is behind.
  public var clockLead: Int64 = 0

  public init() {}

  /// The reasons to look after it: it was silent for three periods, or it has another configuration or a wrong clock.
  ///
  /// - Parameter agreed: the configuration of all machines; nil if no run has begun yet.
  public func problems(at now: Instant, agreed: AgreedConfiguration?) -> [Problem] {
    let silence = now.since(lastSign)
    if let period, silence.seconds > 3 * max(period, Self.watchPeriod).seconds {
      return [("silent", "no sign of life for \(silence.text); start it, or bgfetch fleet forget it")]
    }
    var problems: [Problem] = []
    if let sections = agreed?.differences(from: configuration, at: now), !sections.isEmpty {
      let text =
        "other \(list(sections, "and")) than the others; copy their configuration, or bgfetch fleet adopt"
      problems.append(("configuration", text))
    }
    if abs(clockLead) > 5000 {
      let text =
        "its clock is \(Interval.seconds(abs(clockLead) / 1000).rounded) \(clockLead > 0 ? "fast" : "slow"); synchronise it"
      problems.append(("clock", text))
    }
    return problems
  }
}

/// A pause of all machines that share a store, in which no fetch, download or hook begins: why, and when it ends by itself.
public typealias FleetPause = (reason: String, until: Instant?)

/// The machines that share a state at a moment, what is wrong with each, and their pause.
public struct SharedMachines: Sendable {
  public typealias Member = (machine: SeenMachine, problems: [SeenMachine.Problem])

  public let members: [Member]
  public let pause: FleetPause?
  public let now: Instant
  public var unwell: [Member] { members.filter { !$0.problems.isEmpty } }

  public init(_ store: Store, at now: Instant) async throws {
    let agreed = try await store.configuration().map(AgreedConfiguration.init(text:))
    members = try await store.machines().map { ($0, $0.problems(at: now, agreed: agreed)) }
    pause = try await store.fleetPause()
    self.now = now
  }
}
