// Messages that wait, looked at again whenever hooks are told: hours begin and end, and are edited, and clocks are set.

import Core

extension Telling {
  /// Holds back what would be told outside its feed's hours, such as a retry in the night, and lets go what nothing
  /// holds any more.
  func reviewHeldMessages() async throws {
    let waiting = try await effects.telling.waitingByFeed()
    guard !waiting.isEmpty else { return }
    let names = Set(waiting.map(\.feed))
    let feeds = settings.feeds.filter { names.contains($0.name) }
    let notify = Dictionary(feeds.map { ($0.name, $0.notify) }) { first, _ in first }
    let now = effects.machine.now()
    for messages in waiting {
      let opening = heldUntil(notify[messages.feed] ?? nil, at: now, in: effects.machine.zone)
      let isHeld = messages.heldUntil.map { $0 > now } ?? false
      guard isHeld ? opening != messages.heldUntil : opening != nil else { continue }
      try await effects.telling.hold(messages, opening ?? now, now)
    }
  }
}
