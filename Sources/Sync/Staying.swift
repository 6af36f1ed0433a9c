// The end of a run, which stays for what is due in a moment: the next run may be many minutes away.

import Core

/// How long a run stays at most for messages that are due soon.
private let longestStay = Interval.seconds(30)

extension Telling {
  /// Hands over what comes due within half a minute, as long as neither a signal nor the budget ends the run.
  ///
  /// No lock is held meanwhile but that of a hook while it is told.
  func stay(_ options: RunOptions, origin: EventOrigin, run: Int64) async throws {
    guard options.stays, isOn else { return }
    let machine = effects.machine
    let end = min(machine.milliseconds() + longestStay.seconds * 1000, deadline ?? .max)
    while mayGoOn {
      let now = machine.now()
      guard let moment = try await effects.telling.nextMoment(now), moment <= now + longestStay else {
        return
      }
      let wait = moment.since(now)
      let wake = machine.milliseconds() + wait.seconds * 1000
      guard wake <= end else { return }
      effects.report(.staying(wait, for: .message))
      await machine.sleep(wake)
      if mayGoOn { try await deliver(origin: origin, run: run) }
    }
  }
}
