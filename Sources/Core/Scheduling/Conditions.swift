// The conditions under which feeds are fetched and files downloaded: power, network, and whether the person is there.

/// The conditions of `when`: what must hold before something is fetched, and how long it waits at most.
public struct Conditions: Hashable, Sendable {
  public var power = Power.any
  /// The least charge in percent with which to fetch on battery; nil for any.
  public var battery: Int?
  public var network = Network.any
  /// Globs, one of which must match a name of the network; empty allows all.
  public var networkNames: [String] = []
  public var session = Session.any
  /// How long something that is due waits at most.
  public var atLatest = Interval.days(2)

  public init() {}

  public enum Power: String, Hashable, Sendable, CaseIterable {
    case any
    /// Not on battery.
    case ac
  }

  public enum Network: String, Hashable, Sendable, CaseIterable {
    case any, unmetered
  }

  public enum Session: String, Hashable, Sendable, CaseIterable {
    case any
    /// While the person uses the machine.
    case active
    /// While nobody does.
    case idle
  }
}

/// The state of the machine that conditions are about; nil, or no name, is unknown and never a reason to wait.
public struct Surroundings: Hashable, Sendable {
  public var isOnMains: Bool?
  /// The charge of the batteries in percent.
  public var charge: Int?
  public var isMetered: Bool?
  /// The names of the network, the one to show first.
  public var networks: [String] = []
  /// Whether the person uses the machine.
  public var isInUse: Bool?

  public init() {}
}

extension Conditions {
  /// The condition that does not hold, in words such as `waits for mains power (battery 41%)`; nil if all hold.
  public func reasonToWait(in now: Surroundings) -> String? {
    let charge = now.charge.map { "battery \($0)%" } ?? "on battery"
    if now.isOnMains == false, power == .ac { return Self.wait("for mains power", charge) }
    if now.isOnMains == false, let battery, let present = now.charge, present < battery {
      return Self.wait("for mains power, or \(battery)% of charge", charge)
    }
    if now.isMetered == true, network == .unmetered {
      return Self.wait("for an unmetered network", now.networks.first)
    }
    if let present = now.networks.first, !networkNames.isEmpty,
      !networkNames.contains(where: { name in now.networks.contains { glob(matches: $0, pattern: name) } })
    {
      return Self.wait("for the network \(list(networkNames, "or"))", "connected to \(present)")
    }
    switch (session, now.isInUse) {
    case (.active, false): return Self.wait("until you are at the session", nil)
    case (.idle, true): return Self.wait("until the session is idle", nil)
    case (.any, _), (.active, _), (.idle, _): return nil
    }
  }

  private static func wait(_ what: String, _ detail: String?) -> String {
    waitBeginning + what + (detail.map { " (\(cleanText($0, limit: 100)))" } ?? "")
  }

  /// Whether a look at the power supplies is needed.
  public var areAboutPower: Bool { power != .any || battery != nil }

  /// Whether the network or the sessions have to be asked for.
  public var areAboutBus: Bool { network == .unmetered || !networkNames.isEmpty || session != .any }

  /// The beginning of each reason to wait, by which the reason of a transfer is told from others.
  public static let waitBeginning = "waits "

  /// The conditions in words, such as `mains power, unmetered network`.
  var text: String {
    let parts = [
      power == .ac ? "mains power" : battery.map { "mains power or \($0)% of charge" },
      network == .unmetered ? "unmetered network" : nil,
      networkNames.isEmpty ? nil : "network \(list(networkNames, "or"))",
      session == .any ? nil : session == .active ? "you are at the session" : "session idle",
    ].compactMap(\.self)
    return (parts.isEmpty ? "any" : parts.joined(separator: ", ")) + "; \(atLatest.text) at most"
  }
}

extension Transfer {
  /// The transfer as it waits for a condition, until its longest wait ends; nil if it may start.
  ///
  /// A file that is known to be large waits for an unmetered network too, unless the person asked for it.
  public func waiting(
    _ download: DownloadSpec, at now: Instant, _ look: (Conditions) -> Surroundings
  ) -> Transfer? {
    var conditions = download.conditions ?? Conditions()
    if isLarge(download) { conditions.network = .unmetered }
    let end = min(queued, now) + conditions.atLatest
    guard conditions.areAboutPower || conditions.areAboutBus, end > now, reason != Self.askedFor,
      let reason = conditions.reasonToWait(in: look(conditions))
    else { return nil }
    var next = self
    (next.status, next.reason) = (.suspended, reason)
    // The queue takes a moment further ahead for a mistake of the clock.
    next.notBefore = end < now + TransferQueue.longestWait ? end : nil
    return next
  }

  /// Whether the file is known to be too large for a metered network: by the server, else by the document or by the bytes
  /// received so far.
  public func isLarge(_ download: DownloadSpec) -> Bool {
    let size = partial.total ?? max(asset.plausibleLength ?? 0, partial.bytes)
    return download.meteredMaxSize.map { size > $0.bytes } ?? false
  }

  /// The reason of a transfer that the person asked for, so that it waits for no condition.
  public static let askedFor = "asked for"

  /// Whether it waits for a condition.
  public var isWaiting: Bool { status == .suspended && reason?.hasPrefix(Conditions.waitBeginning) ?? false }
}

/// A wait for a condition in words, for example `waits for mains power (battery 41%), at the latest until 2026-11-29 09:00:00`.
public func waitText(_ reason: String, until moment: Instant, in zone: Zone) -> String {
  "\(reason), at the latest until \(moment.local(in: zone))"
}
