// The receiver of an attempt's responses: checks them, and writes their bytes to the partial file.

import Core
import Machine
import Synchronization

/// Writes the bodies of an attempt's responses to the partial file, if they belong to the requested file.
///
/// The bytes of earlier attempts stay until a response has proved that it is another whole file: its head is examined first,
/// then its first bytes, which wait in memory. Bytes of a response that turns out to be wrong are cut off again.
///
/// A response that does not belong to the file is ended; the reported failure says why, instead of libcurl's error.
final class AssetBody: BodyReceiver, Sendable {
  /// A whole file that has begun to arrive.
  fileprivate struct WholeFile: Sendable {
    /// The reason why it replaces existing bytes.
    let reason: String?
    let partial: PartialDownload
  }

  struct State: Sendable {
    /// The facts about the file; the byte count is from when the last response began.
    var partial: PartialDownload
    /// The request whose response is received next: how it resumes, and its address.
    fileprivate var request: (resume: ResumePlan, address: WebAddress)?
    /// The feed's secrets, which a response may repeat.
    fileprivate var hidden = HiddenWords.none
    /// When the last request was sent, also in the machine's milliseconds; nil if it was not sent.
    var sent: (time: Timestamp, milliseconds: Int64)?
    /// The bytes from before that the last response continues; nil if it is not written, or has not begun.
    var beginning: Int64?
    /// Whether a response continued the bytes of an earlier attempt.
    var isResumed = false
    /// Why the last response was refused or ended early.
    var failure: TransferFailure?
    /// The transfer as it waits for a condition, because the last response is larger than was known; nil if it is not.
    var waiting: Transfer?
    fileprivate var head: Response?
    /// The number of bytes that are there already and that the server repeats.
    fileprivate var repeated: Int64 = 0
    /// The whole file of the last response, until its first bytes take the place of existing ones.
    fileprivate var replacement: WholeFile?
    /// The first bytes of a whole file, until they are checked.
    fileprivate var first: [UInt8]?
  }

  let file: PartialFile
  private let attempt: TransferAttempt
  private let asset: Asset
  /// Whether the feed's own file was placed before, which a page must not replace either.
  private let isPlacedBefore: Bool
  private let state: Mutex<State>

  /// How far the responses have come.
  var now: State { state.withLock { $0 } }

  /// The bytes that distinguish a page from a file.
  private static let bytesToJudge = 512

  /// A receiver; `former` is the file that the body of a feed replaces.
  init(
    _ file: PartialFile, of attempt: TransferAttempt, replacing former: PlacedFile?
  ) {
    (self.file, self.attempt) = (file, attempt)
    asset =
      attempt.transfer.isFeedBody
      ? .feedBody(replacing: former, at: attempt.feed.address) : attempt.transfer.asset
    isPlacedBefore = former != nil
    state = Mutex(State(partial: attempt.partial))
  }

  /// Prepares for the response to another request.
  func expect(_ resume: ResumePlan, at address: WebAddress, hiding hidden: HiddenWords) {
    state.withLock { state in
      var next = State(partial: state.partial)
      next.request = (resume, address)
      next.hidden = hidden
      next.isResumed = state.isResumed
      state = next
    }
  }

  func begin() {
    let machine = attempt.machine
    state.withLock { $0.sent = (machine.timestamp(), machine.milliseconds()) }
    attempt.context.board.add(attempt.transfer) { [file, weak self] in (file.size, self?.now.partial.total) }
  }

  func begin(_ head: Response) -> BodyVerdict {
    let before = now
    guard let request = before.request else { return .enough }
    let head = head.hiding(before.hidden)
    let (plan, partial) = bodyPlan(
      for: head, request.resume, partial: before.partial, asset: asset, download: attempt.download,
      address: request.address)
    if case .refused = plan {} else if mustWait(partial) { return .enough }
    state.withLock { state in
      state.head = head
      switch plan {
      case .append(let start):
        state.repeated = file.size - start
        state.partial = partial
        state.beginning = file.size
        if start > 0 { state.isResumed = true }
      case .fromStart(let reason), .decoded(let reason):
        state.replacement = WholeFile(reason: reason, partial: partial)
        state.first = []
      case .refused(let problem): state.failure = problem
      }
    }
    switch plan {
    case .append(let start):
      let reason = start > 0 ? nil : "the server sent the whole file instead of the rest"
      attempt.context.report(.transferBegan(attempt.transfer, offset: start, reason: reason))
    // Without existing bytes there is nothing to lose.
    case .fromStart, .decoded: if file.size == 0 { replace(with: []) }
    case .refused: return .enough
    }
    guard now.failure == nil else { return .enough }
    return if case .decoded = plan { .decode } else { .proceed }
  }

  /// Empties the file for a whole one, of which these bytes have arrived.
  private func replace(with first: [UInt8]) {
    guard let whole = state.withLock({ $0.replacement }) else { return }
    var failure: TransferFailure?
    do throws(DocumentsProblem) {
      if file.size > 0 { try file.cut(to: 0) }
      let written: Result<Void, DocumentsProblem> = first.withUnsafeBytes { bytes in
        Result { () throws(DocumentsProblem) in try file.append(bytes) }
      }
      try written.get()
    } catch {
      failure = .documents(error)
    }
    state.withLock { state in
      state.replacement = nil
      state.partial = whole.partial
      state.beginning = 0
      state.failure = failure
    }
    attempt.context.report(.transferBegan(attempt.transfer, offset: 0, reason: whole.reason))
  }

  func receive(_ received: UnsafeRawBufferPointer) -> BodyVerdict {
    let bytes = withoutRepeated(received)
    let before = file.size
    let step: (failure: TransferFailure?, isHeld: Bool, checked: [UInt8]?) = state.withLock { state in
      let isHeld = state.replacement != nil
      let size = (isHeld ? Int64(state.first?.count ?? 0) : before) + Int64(bytes.count)
      var checked: [UInt8]?
      if let limit = attempt.download.maxSize, size > limit.bytes {
        state.failure = .tooLarge(limit: limit, size: nil)
      } else if let total = (state.replacement?.partial ?? state.partial).total, size > total {
        state.failure = .overlong(total: total)
      } else if state.first != nil {
        state.first?.append(contentsOf: isHeld ? bytes[...] : bytes.prefix(Self.bytesToJudge))
        if state.first?.count ?? 0 >= Self.bytesToJudge { checked = judge(&state) }
      }
      return (state.failure, isHeld, checked)
    }
    guard step.failure == nil else { return .enough }
    if step.isHeld {
      if let checked = step.checked { replace(with: checked) }
    } else {
      do throws(DocumentsProblem) {
        try file.append(bytes)
      } catch {
        state.withLock { $0.failure = .documents(error) }
      }
    }
    return now.failure != nil || mustWait(grownFrom: before) ? .enough : .proceed
  }

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

  private func withoutRepeated(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let count = state.withLock { state in
      let count = min(state.repeated, Int64(bytes.count))
      state.repeated -= count
      return Int(count)
    }
    return count == 0 ? bytes : UnsafeRawBufferPointer(rebasing: bytes[count...])
  }

  /// Checks a body that has ended; returns what is wrong with it.
  func finish() -> TransferFailure? {
    let checked: [UInt8]? = state.withLock { $0.failure == nil ? judge(&$0) : nil }
    if let checked, !checked.isEmpty { replace(with: checked) }
    let failure: TransferFailure? = state.withLock { state in
      guard state.failure == nil, let head = state.head else { return state.failure }
      // Nothing has arrived if the whole file was not written, and less than before if it was repeated.
      let received = state.replacement == nil ? file.size - state.repeated : 0
      let partial = state.replacement?.partial ?? state.partial
      state.failure =
        state.repeated > 0
        ? .short(received: received, total: partial.total ?? file.size)
        : lengthProblem(received: received, partial: partial, asset: asset, head: head)
      return state.failure
    }
    dropWrongBytes()
    return failure
  }

  /// Cuts off the bytes of the last response if it has failed so that they cannot belong to the file.
  func dropWrongBytes() {
    let right: Int64? = state.withLock { state in
      guard let failure = state.failure, !failure.keepsReceivedBytes, let beginning = state.beginning else {
        return nil
      }
      state.beginning = nil
      state.isResumed = false
      if beginning == 0 { state.partial = PartialDownload() }
      return beginning
    }
    // The next attempt cuts the file again if that fails.
    if let right { try? file.cut(to: right) }
  }

  /// Checks the first bytes of a whole file, and returns them if existing bytes wait to be replaced.
  private func judge(_ state: inout State) -> [UInt8]? {
    guard let first = state.first, let head = state.head, let request = state.request else { return nil }
    state.first = nil
    state.failure = pageProblem(
      first, head: head, asset: asset, address: request.address,
      isReplacement: state.replacement != nil || isPlacedBefore)
    return state.failure == nil && state.replacement != nil ? first : nil
  }
}
