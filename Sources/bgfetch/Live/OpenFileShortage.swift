// What a run cannot do because no more files can be opened: the machine's trouble, which counts against no feed, hook or
// download.

import Core
import Host
import Synchronization

/// Whether a run was short of open files.
///
/// What fails for that is suspended: it is as if it had not been tried, and left to the next run.
final class OpenFileShortage: Sendable {
  private let state = Mutex(State())

  private struct State {
    var isNoted = false
    var whenNoted: (@Sendable () -> Void)?
  }

  /// The error that a run ends with which was short of open files.
  struct Ending: Error {}

  /// Whether anything failed for want of an open file.
  var isNoted: Bool { state.withLock { $0.isNoted } }

  /// Calls this once, as soon as something fails for want of an open file.
  func whenNoted(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.whenNoted = body }
  }

  /// Whether what failed just now is to be laid to a shortage.
  private func isToBlame() -> Bool {
    if hasTooManyOpenFiles() { note() }
    // Once there was one, the next failure of the kind is likely of the same making.
    return isNoted
  }

  private func note() {
    let call = state.withLock { state -> (@Sendable () -> Void)? in
      defer { state.isNoted = true }
      return state.isNoted ? nil : state.whenNoted
    }
    call?()
  }

  /// The outcome of a request, a file or a secret, without what only the shortage made fail.
  func judged<Value>(_ outcome: Result<Value, FetchFailure>) -> Result<Value, FetchFailure> {
    guard case .failure(let failure) = outcome, failure.mayBeShortage, isToBlame() else { return outcome }
    return .failure(.suspended)
  }

  /// The outcome of work in a documents directory; what only the shortage made fail is the machine's trouble there.
  func judged<Value>(_ outcome: Result<Value, DocumentsProblem>) -> Result<Value, DocumentsProblem> {
    switch outcome {
    // A library that could not be loaded says so in its own words.
    case .failure(.denied(let path, let detail)), .failure(.other(let path, let detail)):
      guard SystemError.wordsForTooManyOpenFiles.contains(where: detail.hasSuffix) else { return outcome }
      note()
      return .failure(.denied(path: path, detail: detail))
    default: return outcome
    }
  }

  /// The end of a hook, without what only the shortage made fail.
  func judged(_ end: HookEnd) -> HookEnd {
    guard case .couldNotStart(let reason) = end else { return end }
    // A few files may be free, and not as many as a child's pipes take.
    if SystemError.wordsForTooManyOpenFiles.contains(where: reason.hasSuffix) { note() }
    return isToBlame() ? .suspended : end
  }
}

extension FetchFailure {
  /// Whether too few open files may look like it.
  fileprivate var mayBeShortage: Bool {
    switch self {
    case .unresolved, .unreachable, .proxyUnreachable, .connectTimeout, .tls, .noSecret, .file,
      .transferLibrary,
      .other:
      true
    default: false
    }
  }
}
