// What an attempt found out on its way, for what is to be stored whatever comes of it.

import Core
import Synchronization

/// What an attempt found out on its way.
///
/// Written by the task that asks, read by the one that brings to safety what came.
final class TransferTrace: Sendable {
  /// How the file was asked for.
  struct Asking: Sendable {
    /// The way to the address that answered last; nil where none was asked.
    var route: RequestRoute?
    /// The requests so far.
    var requests: [RequestRecord] = []
    /// A fingerprint of the feed's access; nil until its secrets are resolved.
    var fingerprint: UInt64?
    /// What validators of the last answer are stored with.
    var validatorKey = ""
    /// What of the feed's secrets must not be kept or shown.
    var hidden = HiddenWords.none
  }

  private struct State: Sendable {
    var body: AssetBody?
    var partial: PartialDownload
    var isResumed = false
    var sent: (time: Timestamp, milliseconds: Int64)?
    var asking = Asking()
  }

  private let state: Mutex<State>

  init(_ partial: PartialDownload) {
    state = Mutex(State(partial: partial))
  }

  /// The answer that is being taken.
  var body: AssetBody? { state.withLock { $0.body } }

  /// What is known of the file; its byte count is that of the last answer's beginning.
  var partial: PartialDownload {
    state.withLock { state in
      if let body = state.body, body.beginning != nil { body.partial } else { state.partial }
    }
  }

  /// Whether an answer was taken.
  var hasBegun: Bool { state.withLock { $0.body?.beginning != nil } }

  /// Whether an answer went on where an earlier attempt had stopped.
  var isResumed: Bool { state.withLock { $0.isResumed } }

  /// How the file was asked for.
  var asking: Asking { state.withLock { $0.asking } }

  /// Goes on with another answer.
  func begin(_ body: AssetBody) {
    state.withLock { state in
      if let last = state.body, last.beginning != nil { state.partial = last.partial }
      state.body = body
      state.sent = nil
    }
  }

  /// When the last request was sent, also in the machine's milliseconds; nil as long as it was not.
  var sent: (time: Timestamp, milliseconds: Int64)? { state.withLock { $0.sent } }

  /// Notes that the request was sent.
  func noteSent(_ time: Timestamp, _ milliseconds: Int64) {
    state.withLock { $0.sent = (time, milliseconds) }
  }

  /// Forgets what was there: it is not what was written.
  func forgetPartial() { state.withLock { $0.partial = PartialDownload() } }

  /// There was no time to look whether what was there is what was written.
  func leaveUnchecked() { state.withLock { $0.partial.sha256 = nil } }

  /// Notes that an answer went on where an earlier attempt had stopped.
  func noteResumed() { state.withLock { $0.isResumed = true } }

  /// Notes how the file is asked for.
  func note(_ change: (inout Asking) -> Void) { state.withLock { change(&$0.asking) } }
}
