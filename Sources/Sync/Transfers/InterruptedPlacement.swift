// What a process that died left between deciding on a file's name and writing down that it has it.

import Core

extension TransferPhase {
  /// Settles the placements that a dead process left half done: the file has its name, or it is whole and gets it now, or
  /// the transfer goes on.
  func settleInterrupted() async throws {
    for transfer in try await context.store.takeInterrupted(context.now) {
      guard let intent = transfer.intent,
        let feed = context.settings.feeds.first(where: { $0.name == transfer.feed })
      else { continue }
      let attempt = TransferAttempt(
        context: context, transfer: transfer, feed: feed, isSuspendedByBudget: { false }, began: context.now)
      switch await context.documents.isPlaced(intent) {
      case .success(true): break
      case .failure(let problem) where intent.directory == attempt.directory:
        // The file may have its name: that is known when the directory is there again, and not before.
        attempt.sayAtOnce(.documents(problem))
        continue
      case .success(false), .failure:
        await context.documents.clear(transfer.number, intent)
        _ = try await context.store.leave(leaveOfInterrupted(transfer))
        continue
      }
      _ = try await attempt.settle(
        placed: intent, partial: transfer.partial, response: nil, TransferTrace(transfer.partial))
      await context.documents.discard(intent.directory, transfer.number)
    }
  }

  private func leaveOfInterrupted(_ transfer: Transfer) -> TransferLeave {
    var leave = TransferLeave(
      number: transfer.number, status: .suspended, reason: FetchRecord.interrupted,
      partial: transfer.partial)
    leave.failures = transfer.failures + 1
    leave.failingSince = transfer.failingSince
    leave.cuts = transfer.cuts
    leave.crashes = transfer.crashes + 1
    return leave
  }
}
