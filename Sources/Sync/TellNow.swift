// Telling hooks outside of a run, after a command has changed something.

public import Core

/// Hands over what waits for hooks, after something was settled or given up outside of a run.
///
/// - Parameters:
///   - settings: the configuration.
///   - effects: the world.
///   - cause: what woke the command.
/// - Throws: what the store and the badge file throw.
public func tell(_ settings: Settings, _ effects: Effects, cause: RunCause = .manual) async throws {
  let telling = Telling(settings: settings, effects: effects, isOn: true)
  let origin = EventOrigin(run: 0, time: effects.machine.now(), cause: cause)
  _ = try await telling.updateBadge(run: nil, cause: cause)
  try await telling.deliver(origin: origin, run: 0)
}
