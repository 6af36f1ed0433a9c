// The body of one answer on its way into the partial file, and what is known of the file by then.

import Core
import Synchronization

/// Takes the body of one answer into a partial file, as far as it is a part of the file that is wanted.
///
/// What is wrong with an answer ends it, and is told by `finish` and not by libcurl's words for the end.
final class AssetBody: BodyReceiver {
  /// How an attempt began.
  enum Beginning: Hashable, Sendable {
    /// It went on from so many bytes.
    case resumed(Int64)
    /// It began at the first byte; why, where something was there.
    case fresh(String?)
  }

  private struct State: Sendable {
    var partial: PartialDownload
    var beginning: Beginning?
    var failure: TransferFailure?
    var head: Response?
    /// So many bytes come once more: of a file that is whole the last one is asked for, as a proof.
    var known: Int64 = 0
    /// The first bytes of a body that begins the file, until they were looked at.
    var first: [UInt8]? = []
  }

  private let file: any PartialFile
  private let resume: ResumePlan
  private let asset: Asset
  private let download: DownloadSpec
  private let address: WebAddress
  private let now: Instant
  /// What of the feed's secrets an answer may repeat.
  private let hidden: HiddenWords
  /// Called once, when the request is sent.
  private let sent: @Sendable () -> Void
  /// Called once, when it is clear how the answer is taken.
  private let began: @Sendable (Beginning) -> Void
  private let state: Mutex<State>

  /// So many bytes tell a page from a file.
  private static let bytesToJudge = 512

  init(
    _ file: any PartialFile, resume: ResumePlan, partial: PartialDownload, asset: Asset,
    download: DownloadSpec, address: WebAddress, now: Instant, hidden: HiddenWords = .none,
    sent: @escaping @Sendable () -> Void, began: @escaping @Sendable (Beginning) -> Void
  ) {
    self.file = file
    self.resume = resume
    self.asset = asset
    self.download = download
    self.address = address
    self.now = now
    self.hidden = hidden
    self.sent = sent
    self.began = began
    state = Mutex(State(partial: partial))
  }

  /// What is known of the file, as of now; its byte count is the one before this answer.
  var partial: PartialDownload { state.withLock { $0.partial } }

  /// How the answer was taken; nil where none was.
  var beginning: Beginning? { state.withLock { $0.beginning } }

  func begin() { sent() }

  func begin(_ head: Response) -> BodyVerdict {
    let head = head.hiding(hidden)
    let before = state.withLock { $0.partial }
    let (plan, partial) = bodyPlan(
      for: head, resume, partial: before, asset: asset, download: download, address: address, now: now)
    var beginning: Beginning?
    var failure: TransferFailure?
    switch plan {
    case .append: beginning = .resumed(file.size)
    case .fromStart(let reason):
      do throws(DocumentsProblem) {
        if file.size > 0 { try file.restart() }
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
      if case .resumed = beginning { state.first = nil }
      if case .fresh = beginning { state.partial.bytes = 0 }
    }
    if let beginning { began(beginning) }
    return failure == nil ? .goOn : .enough
  }

  func receive(_ received: UnsafeRawBufferPointer) -> BodyVerdict {
    let bytes = withoutKnown(received)
    let limit = download.maxSize
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
    do throws(DocumentsProblem) {
      try file.append(bytes)
    } catch {
      state.withLock { $0.failure = .documents(error) }
      return .enough
    }
    return .goOn
  }

  private func withoutKnown(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let count = state.withLock { state in
      let count = min(state.known, Int64(bytes.count))
      state.known -= count
      return Int(count)
    }
    return count == 0 ? bytes : UnsafeRawBufferPointer(rebasing: bytes[count...])
  }

  /// Looks at the whole of a body that has ended; gives what is wrong with it.
  func finish() -> TransferFailure? {
    state.withLock { state in
      if state.failure == nil { judge(&state) }
      if state.failure == nil, let head = state.head {
        state.failure = lengthProblem(
          received: file.size, partial: state.partial, asset: asset, head: head)
      }
      return state.failure
    }
  }

  /// Why the answer was not taken, or not to its end; nil where nothing was wrong with it.
  var failure: TransferFailure? { state.withLock { $0.failure } }

  private func judge(_ state: inout State) {
    guard let first = state.first, let head = state.head else { return }
    state.first = nil
    state.failure = pageProblem(first, head: head, asset: asset, address: address)
  }
}
