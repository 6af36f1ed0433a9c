// The transfer phase alone, as the command line orders it.

import Model
import Timing

/// The transfer phase alone, as the command line orders it.
struct TransferRunOrder: Sendable {
  /// How long it may take, hooks included; nil is what the configuration says.
  var limit: Interval?
  /// Whether hooks are told.
  var tellsHooks = true
  /// What woke it.
  var cause = RunCause.manual
  /// Whether it waits for a process that is at the transfers.
  var waits = false
}

extension Invocation {
  /// Works off the queue, and says what came of it.
  func runTransfers(_ order: TransferRunOrder) async throws -> ExitStatus {
    // The transfer phase is not built yet.
    throw ProgramFailure.usage("transfers run: is not built yet")
  }
}
