// Telling hooks outside of a run, after a command has changed something.

public import Model
import Planning

/// Hands over what waits for hooks, after something was settled or given up outside of a run.
///
/// - Parameters:
///   - settings: the configuration.
///   - effects: the world.
/// - Throws: what the store and the badge file throw.
public func tell(_ settings: Settings, _ effects: Effects) async throws {
  let telling = Telling(settings: settings, effects: effects, isOn: true)
  let origin = EventOrigin(run: 0, time: effects.machine.now(), cause: .manual)
  _ = try await telling.updateBadge(run: nil, cause: .manual)
  try await telling.deliver(origin: origin, run: 0)
}
