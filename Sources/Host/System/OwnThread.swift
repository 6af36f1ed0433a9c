// Work that blocks in the system, waited for without a thread of Swift's pool.

/// Does work on a thread of its own and gives what came of it.
///
/// The work is done to its end even if the task is cancelled meanwhile: what it changes must be known.
/// - Parameters:
///   - work: what blocks.
///   - refused: what comes of it where the system has no thread to give.
/// - Returns: what came of it.
func onOwnThread<Outcome: Sendable>(
  _ work: @escaping @Sendable () -> Outcome, refused: @escaping @Sendable (SystemError) -> Outcome
) async -> Outcome {
  await withCheckedContinuation { continuation in
    do throws(SystemError) {
      try startThread { continuation.resume(returning: work()) }
    } catch {
      continuation.resume(returning: refused(error))
    }
  }
}
