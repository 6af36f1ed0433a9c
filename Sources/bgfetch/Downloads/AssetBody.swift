// The receiver of an attempt's responses: checks them, and writes their bytes to the partial file.

import Core
import Machine
import Synchronization

/// Writes the bodies of an attempt's responses to the partial file, if they belong to the requested file.
///
/// A response that does not belong to it is ended; the reported failure says why, instead of libcurl's error.
final class AssetBody: BodyReceiver {
  /// How a response continues the file.
  enum Beginning: Hashable, Sendable {
    /// From this byte on.
    case resumed(Int64)
    /// From the first byte, with the reason if existing bytes are dropped.
    case fresh(String?)
  }

  /// A request whose response is received next.
  struct Expected: Sendable {
    let resume: ResumePlan
    let address: WebAddress
    /// The feed's secrets, which a response may repeat.
    var hidden = HiddenWords.none
  }

  struct State: Sendable {
    /// The facts about the file; the byte count is from when the last response began.
    var partial: PartialDownload
    fileprivate var expected: Expected?
    /// When the last request was sent, also in the machine's milliseconds; nil if it was not sent.
    var sent: (time: Timestamp, milliseconds: Int64)?
    /// How the last response continues the file; nil if it is not written, or has not begun.
    var beginning: Beginning?
    /// Whether a response continued the bytes of an earlier attempt.
    var isResumed = false
    /// Why the last response was refused or ended early.
    var failure: TransferFailure?
    /// The transfer as it waits for a condition, because the last response is larger than was known; nil if it is not.
    var waiting: Transfer?
    fileprivate var head: Response?
    /// Bytes that the server repeats: the last byte of a complete file is requested again as a proof.
    fileprivate var known: Int64 = 0
    /// The first bytes of a file, until they are checked.
    fileprivate var first: [UInt8]? = []
  }

  let file: PartialFile
  private let attempt: TransferAttempt
  private let state: Mutex<State>

  /// How far the responses have come.
  var now: State { state.withLock { $0 } }

  /// The bytes that distinguish a page from a file.
  private static let bytesToJudge = 512

  init(_ file: PartialFile, _ partial: PartialDownload, of attempt: TransferAttempt) {
    (self.file, self.attempt) = (file, attempt)
    state = Mutex(State(partial: partial))
  }

  /// Prepares for the response to another request.
  func expect(_ expected: Expected) {
    state.withLock { state in
      var next = State(partial: state.partial, expected: expected)
      next.isResumed = state.isResumed
      state = next
    }
  }

  func begin() {
    let machine = attempt.machine
    state.withLock { $0.sent = (machine.timestamp(), machine.milliseconds()) }
    attempt.context.board.add(attempt.line) { [file, weak self] in (file.size, self?.now.partial.total) }
  }

  func begin(_ head: Response) -> BodyVerdict {
    let (expected, before) = state.withLock { ($0.expected, $0.partial) }
    guard let expected else { return .enough }
    let head = head.hiding(expected.hidden)
    let (plan, partial) = bodyPlan(
      for: head, expected.resume, partial: before, asset: asset, download: attempt.download,
      address: expected.address)
    if case .refused = plan {} else if mustWait(partial) { return .enough }
    var beginning: Beginning?
    var failure: TransferFailure?
    switch plan {
    case .append: beginning = .resumed(file.size)
    case .fromStart(let reason), .decoded(let reason):
      do throws(DocumentsProblem) {
        if file.size > 0 { try file.restart() }
        if let total = partial.total { file.reserve(total) }
        beginning = .fresh(reason)
      } catch {
        failure = .documents(error)
      }
    case .refused(let problem): failure = problem
    }
    state.withLock { state in
      state.head = head
      if case .append = plan { state.known = max(0, file.size - partial.bytes) }
      state.beginning = beginning
      state.failure = failure
      if beginning != nil { state.partial = partial }
      if case .resumed = beginning { (state.first, state.isResumed) = (nil, true) }
      if case .fresh = beginning { state.partial.bytes = 0 }
    }
    switch beginning {
    case .resumed(let offset):
      attempt.context.report(.transferBegan(attempt.line, offset: offset, reason: nil))
    case .fresh(let reason): attempt.context.report(.transferBegan(attempt.line, offset: 0, reason: reason))
    case nil: break
    }
    guard failure == nil else { return .enough }
    return if case .decoded = plan { .decode } else { .proceed }
  }

  func receive(_ received: UnsafeRawBufferPointer) -> BodyVerdict {
    let bytes = withoutKnown(received)
    let limit = attempt.download.maxSize
    let size = file.size + Int64(bytes.count)
    let failure: TransferFailure? = state.withLock { state in
      if let limit, size > limit.bytes {
        state.failure = .tooLarge(limit: limit, size: nil)
      } else if let total = state.partial.total, size > total {
        state.failure = .overlong(total: total)
      } else if state.first != nil {
        state.first?.append(contentsOf: bytes.prefix(Self.bytesToJudge))
        if state.first?.count ?? 0 >= Self.bytesToJudge { judge(&state) }
      }
      return state.failure
    }
    guard failure == nil else { return .enough }
    let before = file.size
    do throws(DocumentsProblem) {
      try file.append(bytes)
    } catch {
      state.withLock { $0.failure = .documents(error) }
      return .enough
    }
    return mustWait(grownFrom: before) ? .enough : .proceed
  }

  private var asset: Asset { attempt.transfer.asset }

  /// Whether the file waits for a condition, because it is large by the facts about it that the response gives.
  private func mustWait(_ partial: PartialDownload) -> Bool {
    var known = attempt.transfer
    known.partial = partial
    guard known.isLarge, !attempt.transfer.isLarge else { return false }
    let waiting = attempt.waiting(partial)
    state.withLock { $0.waiting = waiting }
    return waiting != nil
  }

  /// The same for a file of unknown length, as soon as more bytes are there than a metered network may carry.
  private func mustWait(grownFrom before: Int64) -> Bool {
    var partial = now.partial
    let most = Transfer.mostOnMeteredNetwork.bytes
    guard partial.total == nil, before <= most, file.size > most else { return false }
    partial.bytes = file.size
    return mustWait(partial)
  }

  private func withoutKnown(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let count = state.withLock { state in
      let count = min(state.known, Int64(bytes.count))
      state.known -= count
      return Int(count)
    }
    return count == 0 ? bytes : UnsafeRawBufferPointer(rebasing: bytes[count...])
  }

  /// Checks a body that has ended; returns what is wrong with it.
  func finish() -> TransferFailure? {
    state.withLock { state in
      if state.failure == nil { judge(&state) }
      if state.failure == nil, let head = state.head {
        state.failure = lengthProblem(received: file.size, partial: state.partial, asset: asset, head: head)
      }
      return state.failure
    }
  }

  private func judge(_ state: inout State) {
    guard let first = state.first, let head = state.head, let expected = state.expected else { return }
    state.first = nil
    state.failure = pageProblem(first, head: head, asset: asset, address: expected.address)
  }
}
