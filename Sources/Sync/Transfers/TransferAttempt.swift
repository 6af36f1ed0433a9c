// One attempt at one transfer: directory, partial file, requests, and what came of them.

import Core

/// One attempt at one transfer.
struct TransferAttempt: Sendable {
  /// What all attempts share.
  let context: TransferContext
  /// The transfer as it was when the attempt was decided.
  let transfer: Transfer
  /// Its feed.
  let feed: FeedSpec
  /// Whether the budget's end suspends it.
  let isSuspendedByBudget: @Sendable () -> Bool
  /// When it began.
  let began: Instant

  var line: TransferLine { TransferLine(transfer) }
  var download: DownloadSpec { feed.transferDownload ?? DownloadSpec() }
  var directory: String { context.directory(of: feed) }
  private var machine: MachineEffects { context.effects.machine }

  /// How the requests of an attempt ended.
  enum Outcome: Sendable {
    /// The file is whole.
    case whole(WholeFile)
    /// The server says that it has not changed.
    case notModified(Response)
    /// There is no whole file.
    case failed(TransferFailure, Response?)
    /// The run ends, or the person wants it to stop.
    case suspended
    /// The row is not this process's any more.
    case lost
  }

  /// A file that is whole, and is to be placed.
  struct WholeFile: Sendable {
    let file: any PartialFile
    /// The last answer.
    let head: Response
    /// Where it came from.
    let address: WebAddress
    let trace: TransferTrace
  }

  /// What came of a step of the attempt.
  enum Step: Sendable {
    /// All of it is there: what is left has nothing to do with its host.
    case received(WholeFile)
    /// It is over, and what came of it is written down.
    case ended(TransferEnding)
  }

  /// Makes the transfer running in the store; false if somebody else has held or settled it.
  func begin() async throws -> Bool {
    try await context.store.begin(transfer.number, directory, began)
  }

  /// Asks for the file; where that brings no whole one, writes down what came of it.
  ///
  /// - Parameter isBegun: whether the transfer is running in the store, which comes before all else that is written.
  /// - Returns: what came of it.
  /// - Throws: what the store throws.
  func ask(_ isBegun: Task<Bool, any Error>) async throws -> Step {
    if !transfer.isFeedBody, let reason = reasonToGiveUp(transfer), try await isBegun.value {
      return .ended(
        try await settle(failed: reason, needsCredentials: false, TransferTrace(transfer.partial)))
    }
    let partial = await usablePartial()
    let trace = TransferTrace(partial)
    async let known = knownValidators()
    var file: (any PartialFile)?
    var outcome: Outcome
    switch try await openChecked(partial, trace) {
    case .file(let opened):
      file = opened
      outcome = try await exchange(into: opened, known: known, trace)
      context.board.remove(transfer.number)
    case .none(let ended): outcome = ended
    }
    if try await !isBegun.value {
      outcome = .lost
      if partial.bytes == 0 { await context.documents.discard(directory, transfer.number) }
    }
    switch outcome {
    case .whole(let whole): return .received(whole)
    case .failed(.documents(let problem), _) where file != nil && problem.isOfDirectory:
      context.findings.noteUnwritable(directory, problem, at: machine.milliseconds())
    case .failed, .notModified, .suspended, .lost: break
    }
    return .ended(try await end(outcome, file: file, trace))
  }

  /// What came of opening the partial file.
  private enum Opening {
    case file(any PartialFile)
    case none(Outcome)
  }

  /// Opens the partial file, and looks whether what is there is what was written.
  private func openChecked(_ partial: PartialDownload, _ trace: TransferTrace) async throws -> Opening {
    // What the document has for a length is no promise: a wrong one would hold the transfer up for ever.
    let left = partial.total.map { $0 - partial.bytes } ?? 0
    if let problem = try await context.prepare(directory, for: left) {
      return .none(.failed(.documents(problem), nil))
    }
    let file: any PartialFile
    switch await open(partial) {
    case .success(let opened): file = opened
    case .failure(let problem): return .none(.failed(.documents(problem), nil))
    }
    guard partial.bytes > 0, let written = partial.sha256 else { return .file(file) }
    guard await isNearlyRead(file, cutByBudget: true) else {
      // Looked at again in each run it might never get further.
      trace.leaveUnchecked()
      return .none(.suspended)
    }
    guard (try? await file.sha256()) != written else { return .file(file) }
    trace.forgetPartial()
    do throws(DocumentsProblem) {
      try file.restart()
    } catch {
      return .none(.failed(.documents(error), nil))
    }
    return .file(file)
  }

  /// What is there of the file, unless it lies in a directory that is not the feed's any more.
  private func usablePartial() async -> PartialDownload {
    guard let former = transfer.directory, former != directory else { return transfer.partial }
    await context.documents.discard(former, transfer.number)
    return PartialDownload()
  }

  private func open(_ partial: PartialDownload) async -> Result<any PartialFile, DocumentsProblem> {
    let opened = await context.documents.open(directory, transfer.number, partial.bytes)
    guard case .failure(.partialLost) = opened else { return opened }
    return await context.documents.open(directory, transfer.number, 0)
  }

  /// Asks for the file while what came of it is brought to safety from time to time.
  private func exchange(
    into file: any PartialFile, known: Validators, _ trace: TransferTrace
  ) async throws -> Outcome {
    try await withThrowingTaskGroup(of: Outcome?.self) { group in
      group.addTask { await ask(into: file, known: known, trace) }
      group.addTask { try await keepSafe(file, trace) }
      var outcome: Outcome?
      while outcome == nil, let next = try await group.next() { outcome = next }
      group.cancelAll()
      // The receiver must not be called any more when the file is closed.
      try await group.waitForAll()
      return outcome ?? .suspended
    }
  }

  /// How often it is looked what came, in milliseconds: what a kill loses at most, beyond what follows.
  private static let lookTime: Int64 = 1000
  /// So long, in milliseconds, and so many bytes wait for being brought to safety, but for the first ones, which do not.
  private static let safetyTime: Int64 = 5000
  private static let safetySize: Int64 = 64 << 20

  /// Brings what came to safety from time to time, and looks whether there is room for the rest.
  private func keepSafe(_ file: any PartialFile, _ trace: TransferTrace) async throws -> Outcome? {
    var safe: (bytes: Int64, moment: Int64)?
    while !Task.isCancelled {
      await machine.sleep(machine.milliseconds() + Self.lookTime)
      guard !Task.isCancelled else { break }
      guard let body = trace.body, body.beginning != nil, body.failure == nil else { continue }
      let left = body.partial.total.map { $0 - file.size } ?? 0
      if let problem = await context.shortage(in: directory, for: left) {
        return .failed(.documents(problem), nil)
      }
      let now = machine.milliseconds()
      if let safe, now - safe.moment < Self.safetyTime, file.size - safe.bytes < Self.safetySize { continue }
      var partial = body.partial
      guard (try? await bringToSafety(file, &partial)) != nil, trace.body === body else { continue }
      // Not running any more: whoever has changed that finds what came.
      let isProgress = partial.bytes > transfer.partial.bytes && canResume(partial)
      guard try await context.store.checkpoint(transfer.number, partial, isProgress) else {
        return .suspended
      }
      safe = (partial.bytes, now)
    }
    return nil
  }

  /// Sends the requests, one a hop, until one brings the file or says why there is none.
  private func ask(into file: any PartialFile, known: Validators, _ trace: TransferTrace) async -> Outcome {
    let partial = trace.partial
    // What is whole needs no request: the process ended before it was placed.
    if let whole = wholeAlready(partial, file, trace) { return .whole(whole) }
    let written = WebAddress(transfer.asset.url)
    guard transfer.isFeedBody || written != nil else { return .failed(.noWebAddress, nil) }
    let access: FeedAccess
    switch await self.access(to: written) {
    case .success(let resolved): access = resolved
    case .failure(.suspended): return .suspended
    case .failure(let failure): return .failed(.fetch(failure), nil)
    }
    let address = written ?? access.address
    var chain = AssetChain(
      access, asset: address, partial: partial,
      validators: await validators(access, partial, known: known), network: feed.network,
      userAgent: context.effects.network.userAgent,
      isWritten: transfer.isFeedBody || transfer.isPushed && feed.isPushAddress(address),
      connected: await innerAddresses())
    let hidden = access.hidden
    trace.note { ($0.fingerprint, $0.hidden) = (access.fingerprint, hidden) }
    // Cut back further than it is now it would have to be looked at once more.
    if case .resume(let offset, _) = chain.resume, offset != file.size {
      chain.withoutRange("all of it was there, and its server says nothing about it")
    }
    while true {
      let body = self.body(file, chain.resume, trace.partial, chain.request.address, trace)
      trace.begin(body)
      trace.note { asking in
        (asking.route, asking.validatorKey) = (chain.route, access.validatorKey(of: chain.request.address))
      }
      let response: Response
      switch await send(chain.request, body, trace) {
      case .failure(.suspended): return .suspended
      case .failure(let failure): return .failed(body.failure ?? .fetch(failure), nil)
      case .success(let answer): response = answer.hiding(hidden)
      }
      if (200..<300).contains(response.status) {
        guard let failure = body.failure ?? body.finish() else {
          return .whole(
            WholeFile(file: file, head: response, address: chain.request.address, trace: trace))
        }
        if chain.asksForWhole(after: failure) { continue }
        return .failed(failure, response)
      }
      if chain.asksForWhole(after: .fetch(.status(response.status))) { continue }
      switch chain.take(response) {
      case .again: continue
      case .failed(let failure): return .failed(.fetch(failure), response)
      case .answered: break
      }
      switch answer(response, isConditional: chain.isConditional, at: context.now) {
      case .notModified: return .notModified(response)
      case .failed(let failure): return .failed(.fetch(failure), response)
      case .document: return .failed(.fetch(.status(response.status)), response)
      }
    }
  }

  /// The private addresses that the feed was connected to: when its document named the asset, and since, as a home
  /// network gives its machines other ones now and then.
  ///
  /// A document from a public address opens none, wherever the feed's name leads to now.
  private func innerAddresses() async -> [NetworkAddress] {
    guard let named = transfer.innerAddress else { return [] }
    let state = try? await context.effects.store.feedStates(of: [feed.name])[feed.name]
    return [named, state?.innerAddress].compactMap(\.self)
  }

  /// Who asks for an asset; nil is the body of the feed.
  private func access(to asset: WebAddress?) async -> Result<FeedAccess, FetchFailure> {
    guard let asset, feed.file != nil else { return await context.effects.network.access(feed) }
    return .success(.fromFile(to: asset, feed.network))
  }

  /// Sends a request and notes it, whatever comes of it.
  private func send(
    _ request: Request, _ body: AssetBody, _ trace: TransferTrace
  ) async -> Result<Response, FetchFailure> {
    let asked = (time: machine.timestamp(), milliseconds: machine.milliseconds())
    let outcome = await context.effects.transfers.download(request, body)
    // Its turn may have come hours later, or never.
    if trace.sent == nil, case .failure(.suspended) = outcome { return outcome }
    let sent = trace.sent ?? asked
    var record = RequestRecord(
      request, started: sent.time, shownAs: trace.asking.hidden.masked(feed.shown(request.address)))
    record.milliseconds = machine.milliseconds() - sent.milliseconds
    switch outcome {
    case .success(let response):
      record.status = response.status
      record.bytes = response.bytesReceived
    case .failure(let failure):
      let text = feed.hasSecretAddress ? failure.text(hiding: request.address.host) : failure.text
      record.failure = cleanText(trace.asking.hidden.masked(text), limit: 500)
    }
    trace.note { [record] in $0.requests.append(record) }
    return outcome
  }

  /// The file where all of it is there already; nil where it is not, or that is not known.
  private func wholeAlready(
    _ partial: PartialDownload, _ file: any PartialFile, _ trace: TransferTrace
  ) -> WholeFile? {
    guard let total = partial.total, total > 0, partial.bytes == total, file.size == total,
      let address = partial.address.flatMap({ WebAddress($0) }) ?? feed.address
    else { return nil }
    return WholeFile(
      file: file, head: Response(status: 200, fields: [], body: []), address: address, trace: trace)
  }

  private func body(
    _ file: any PartialFile, _ resume: ResumePlan, _ partial: PartialDownload, _ address: WebAddress,
    _ trace: TransferTrace
  ) -> AssetBody {
    AssetBody(
      file, resume: resume, partial: partial, asset: transfer.asset, download: download, address: address,
      now: context.now, hidden: trace.asking.hidden
    ) { [context, line, weak trace] in
      // The trace holds on to the body, and the body to the open file: that must be closed when the attempt ends.
      trace?.noteSent(context.effects.machine.timestamp(), context.effects.machine.milliseconds())
      context.board.add(line) { [weak trace] in (file.size, trace?.partial.total) }
    } began: { [context, line, weak trace] beginning in
      switch beginning {
      case .resumed(let offset):
        trace?.noteResumed()
        context.report(.began(line, offset: offset, reason: nil))
      case .fresh(let reason): context.report(.began(line, offset: 0, reason: reason))
      }
    }
  }

  /// The validators that make the request conditional: those of the file that is there already.
  private func validators(
    _ access: FeedAccess, _ partial: PartialDownload, known: Validators
  ) async -> Validators {
    guard partial.bytes == 0 else { return Validators() }
    if transfer.isFeedBody { return await bodyValidators(access) }
    var known = known
    known.address = known.address.flatMap { WebAddress($0) }.map(access.validatorKey)
    return known
  }

  /// The validators of the file that was downloaded from the same URL before, as long as it is there.
  private func knownValidators() async -> Validators {
    guard !transfer.isFeedBody,
      let last = try? await context.store.lastFinished(feed.name, transfer.asset.url), let file = last.file,
      await context.documents.exists(file, false), last.partial.address != nil
    else { return Validators() }
    var validators = Validators()
    validators.address = last.partial.address
    validators.entityTag = last.partial.entityTag
    validators.lastModified = last.partial.lastModified
    return validators
  }
}

extension DocumentsProblem {
  /// Whether what kept the bytes of one file from being written keeps those of others from it, too.
  fileprivate var isOfDirectory: Bool {
    switch self {
    case .full, .denied, .unsafe, .gone, .other: true
    case .belowFreeSpace, .inTheWay, .linkOnTheWay, .directoryTaken, .nameRefused, .partialLost,
      .fileTooLarge:
      false
    }
  }
}
