// One attempt at one transfer, from top to bottom: open the partial file, request, receive, place, write how it ended.
// DownloadLoop decides which attempt is next, and Core decides what a failure means.

import Core
import Machine
import Store

/// One attempt at one transfer, and its facts so far.
struct TransferAttempt: Sendable {
  let context: TransferContext
  /// The transfer before the attempt.
  let transfer: Transfer
  let feed: FeedSpec
  let began: Instant
  /// The facts about the file before a response continues it.
  var partial: PartialDownload
  /// The receiver of the responses; nil until the partial file is open and its bytes are verified.
  var body: AssetBody?
  /// The requests so far.
  var requests: [RequestRecord] = []
  /// The route to the last requested address; nil if there was no request.
  var route: RequestRoute?
  /// A fingerprint of the feed's access; nil until its secrets are resolved.
  var fingerprint: UInt64?
  /// The key under which the validators of the last response are stored.
  var validatorKey = ""
  /// The feed's secrets, which must not be stored or shown.
  var hidden = HiddenWords.none

  init(_ transfer: Transfer, of feed: FeedSpec, _ context: TransferContext) {
    (self.transfer, self.feed, self.context) = (transfer, feed, context)
    began = context.now
    partial = transfer.partial
  }

  var download: DownloadSpec { feed.transferDownload ?? DownloadSpec() }
  var directory: String { context.settings.documents }
  var machine: MachineEffects { context.machine }
  /// The facts about the file now.
  var known: PartialDownload { body?.now.partial ?? partial }

  /// The transfer as it waits for a condition; nil if it may start, or continue.
  ///
  /// That the person named its feed does not make the network cheaper; `--force` says so.
  func waiting(_ partial: PartialDownload) -> Transfer? {
    let named = context.options.named
    guard !context.options.isForced || !named.isEmpty && !named.contains(feed.name) else { return nil }
    var known = transfer
    known.partial = partial
    return known.waiting(download, at: context.now, machine.surroundings)
  }

  /// The result of opening, requesting and receiving.
  enum DownloadResult: Sendable {
    /// The file is complete: the last response, and its address.
    case whole(Response, WebAddress)
    /// The server says that the file downloaded before is current.
    case notModified(Response)
    case failed(TransferFailure, Response?)
    case suspended
    /// The file waits for a condition: the state of the machine has changed, or the file is larger than was known.
    case waiting(Transfer)
  }

  /// Opens the partial file, and requests and receives the rest; writes how the attempt ended if the file is not complete.
  mutating func receive() async throws -> DownloadLoop.TaskEnd {
    partial = await usablePartial()
    if !transfer.isFeedBody, let reason = reasonToGiveUp(transfer) {
      return .ended(self, try await write(.failed(reason: reason, needsCredentials: false), partial: partial))
    }
    let result: DownloadResult
    if let stop = try await open() {
      result = stop
    } else if let body {
      let received = try await requestWithCheckpoints(body)
      result = received.result
      self = received.attempt
      context.board.remove(transfer.number)
    } else {
      result = .suspended
    }
    guard case .whole(let head, let address) = result else { return .ended(self, try await end(result)) }
    return .received(self, head, address)
  }

  // MARK: Open

  /// The bytes received so far; none if they are in a directory that the feed no longer uses.
  private func usablePartial() async -> PartialDownload {
    guard let former = transfer.directory, former != directory else { return transfer.partial }
    await context.documents(former).discard(transfer.number)
    return PartialDownload()
  }

  /// Opens the partial file and verifies its bytes; returns how the attempt ends if that fails.
  private mutating func open() async throws -> DownloadResult? {
    // The length in the document does not count: a wrong one would block the transfer forever.
    let left = partial.total.map { $0 - partial.bytes } ?? 0
    if let problem = try await context.prepare(for: left) {
      return Task.isCancelled ? .suspended : .failed(.documents(problem), nil)
    }
    let former = transfer.isFeedBody ? try await placedBody() : nil
    do throws(DocumentsProblem) {
      let file = try await partialFile()
      if partial.bytes > 0 {
        guard let sum = try await file.sha256() else { return .suspended }
        if let written = partial.sha256, sum != written {
          partial = PartialDownload()
          try file.cut(to: 0)
        }
      }
      body = AssetBody(file, of: self, replacing: former)
      return nil
    } catch {
      return .failed(.documents(error), nil)
    }
  }

  private func partialFile() async throws(DocumentsProblem) -> PartialFile {
    let documents = context.documents(directory)
    do throws(DocumentsProblem) {
      return try await documents.openPartial(transfer.number, keeping: partial.bytes)
    } catch {
      guard case .partialLost = error else { throw error }
      return try await documents.openPartial(transfer.number, keeping: 0)
    }
  }

  // MARK: Checkpoints

  /// The polling interval for checkpoints in milliseconds; a kill loses at most this time and the limits below.
  private static let pollTime: Int64 = 1000
  /// A checkpoint after this many milliseconds or bytes; the first one is immediate.
  private static let checkpointTime: Int64 = 5000
  private static let checkpointSize: Int64 = 64 << 20

  /// Sends the requests, with a checkpoint from time to time.
  private func requestWithCheckpoints(_ body: AssetBody) async throws -> (
    result: DownloadResult, attempt: TransferAttempt
  ) {
    try await withThrowingTaskGroup(of: (result: DownloadResult?, attempt: TransferAttempt?).self) { group in
      group.addTask { [self] in
        var attempt = self
        let result = await attempt.request(body)
        return (result, attempt)
      }
      group.addTask { [self] in (try await checkpoints(body), nil) }
      var result: DownloadResult?
      var last = self
      // Wait for both: the receiver must not be called after the file is closed.
      while let part = try await group.next() {
        result = result ?? part.result
        last = part.attempt ?? last
        if result != nil { group.cancelAll() }
      }
      return (result ?? .suspended, last)
    }
  }

  /// Records the bytes received from time to time, and looks whether the conditions still hold; returns why the attempt must
  /// end, or nil when it is cancelled.
  private func checkpoints(_ body: AssetBody) async throws -> DownloadResult? {
    var last: (bytes: Int64, moment: Int64)?
    while !Task.isCancelled {
      await machine.sleep(machine.milliseconds() + Self.pollTime)
      guard !Task.isCancelled else { break }
      let (reached, size) = (body.now, body.file.size)
      var known = reached.partial
      known.bytes = max(known.bytes, size)
      if let waiting = waiting(known) { return .waiting(waiting) }
      guard let beginning = reached.beginning, reached.failure == nil else { continue }
      let partial = reached.partial
      if let problem = await context.shortage(for: partial.total.map { $0 - size } ?? 0) {
        return .failed(.documents(problem), nil)
      }
      let now = machine.milliseconds()
      if let last, now - last.moment < Self.checkpointTime, size - last.bytes < Self.checkpointSize {
        continue
      }
      guard let safe = try? await body.file.synchronize(), body.now.beginning == beginning else { continue }
      let stored = partial.with(safe)
      let isProgress = stored.bytes > transfer.partial.bytes && canResume(stored)
      // Another process has ended the transfer, and finds the bytes in the partial file.
      guard try await context.store.checkpoint(transfer.number, stored, isProgress: isProgress) else {
        return .suspended
      }
      last = (stored.bytes, now)
    }
    return nil
  }

  // MARK: Request

  /// Sends requests, one for each redirect, until one completes the file or fails.
  private mutating func request(_ body: AssetBody) async -> DownloadResult {
    if let address = addressOfCompleteFile(body.file) {
      return .whole(Response(status: 200), address)
    }
    let written = WebAddress(transfer.asset.url)
    guard transfer.isFeedBody || written != nil else { return .failed(.noWebAddress, nil) }
    let access: FeedAccess
    switch await self.access(to: written) {
    case .success(let resolved): access = resolved
    case .failure(.suspended): return .suspended
    case .failure(let failure): return .failed(.fetch(failure), nil)
    }
    fingerprint = access.fingerprint
    hidden = access.hidden
    var chain = RequestChain(
      access, at: written ?? access.address, partial: partial, validators: await validators(access),
      network: feed.network, userAgent: context.effects.network.userAgent,
      isWritten: transfer.isFeedBody || transfer.isPushed && written.map(feed.isPushAddress) ?? false,
      connected: transfer.innerAddresses)
    while true {
      let address = chain.request.address
      body.expect(chain.resume, at: address, hiding: hidden)
      route = chain.route
      validatorKey = access.validatorKey(of: address)
      let response: Response
      let sent = await send(chain.request, body)
      let reached = body.now
      if let waiting = reached.waiting { return .waiting(waiting) }
      switch sent {
      case .failure(.suspended): return .suspended
      case .failure(let failure):
        body.dropWrongBytes()
        return .failed(reached.failure ?? .fetch(failure), nil)
      case .success(let received): response = received.hiding(hidden)
      }
      if (200..<300).contains(response.status) {
        guard let failure = body.finish() else { return .whole(response, address) }
        if chain.requestWhole(after: failure) { continue }
        return .failed(failure, response)
      }
      // A 403 may be a rate limit, which a further request would only provoke.
      let isSpared = response.status == 403 && retryAfter(of: response, receivedAt: context.now) != nil
      if !isSpared, chain.requestWhole(after: .fetch(.status(response.status))) { continue }
      if let failure = await machine.waitForRedirect(response, hasWaited: transfer.failures > 0) {
        return .failed(.fetch(failure), response)
      }
      switch chain.handle(response) {
      case .again: continue
      case .failed(let failure): return .failed(.fetch(failure), response)
      case .answered: break
      }
      switch meaning(of: response, isConditional: chain.isConditional, at: context.now) {
      case .notModified: return .notModified(response)
      case .failed(let failure): return .failed(.fetch(failure), response)
      case .document: return .failed(.fetch(.status(response.status)), response)
      }
    }
  }

  /// The address of a file that is complete already, because a process ended before it placed the file.
  private func addressOfCompleteFile(_ file: PartialFile) -> WebAddress? {
    guard let total = partial.total, total > 0, partial.bytes == total, file.size == total else { return nil }
    return partial.address.flatMap { WebAddress($0) } ?? feed.address
  }

  /// The access for an asset, or for the feed's own body.
  private func access(to asset: WebAddress?) async -> Result<FeedAccess, FetchFailure> {
    guard let asset, feed.isLocal else { return await context.effects.network.access(feed) }
    return .success(.fromLocalFeed(to: asset, feed.network))
  }

  /// The validators of the existing file, to make the request conditional.
  private func validators(_ access: FeedAccess) async -> Validators {
    guard partial.bytes == 0 else { return Validators() }
    if transfer.isFeedBody { return await bodyValidators(access) }
    guard let last = try? await context.store.lastFinished(feed.name, url: transfer.asset.url),
      let file = last.file, await context.documents(file.directory).exists(file, ofAnySize: false),
      let address = last.partial.address
    else { return Validators() }
    var validators = Validators()
    validators.address = WebAddress(address).map(access.validatorKey)
    validators.entityTag = last.partial.entityTag
    validators.lastModified = last.partial.lastModified
    return validators
  }

  /// Sends a request and records it with its result.
  private mutating func send(_ request: Request, _ body: AssetBody) async -> Result<Response, FetchFailure> {
    let asked = (time: machine.timestamp(), milliseconds: machine.milliseconds())
    let outcome = await context.effects.network.download(request, body)
    // A request may wait for hours for a connection, and is not sent at all if the attempt is cancelled before.
    if body.now.sent == nil, case .failure(.suspended) = outcome { return outcome }
    let sent = body.now.sent ?? asked
    requests.append(
      RequestRecord(
        request, of: feed, outcome, started: sent.time,
        milliseconds: machine.milliseconds() - sent.milliseconds, hiding: hidden))
    return outcome
  }
}

extension PartialDownload {
  /// The same download with the bytes that are safely stored.
  func with(_ safe: DigestedBytes) -> PartialDownload {
    var copy = self
    copy.bytes = safe.bytes
    copy.sha256 = safe.sha256
    return copy
  }
}
