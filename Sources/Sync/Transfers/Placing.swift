// A whole file gets its final name: checksum, name, intent, rename, commit.

import Core

extension TransferAttempt {
  /// Gives a whole file its final name, and settles the transfer.
  func place(_ whole: WholeFile) async throws -> TransferEnding {
    let (file, trace) = (whole.file, whole.trace)
    // What is whole is placed though the budget has ended: it would have to be read again in each run.
    guard await isNearlyRead(file, cutByBudget: false) else {
      return try await end(.suspended, file: file, trace)
    }
    let content: DigestedBytes
    do throws(DocumentsProblem) {
      content = try await contentToPlace(file)
    } catch {
      return try await end(.failed(.documents(error), whole.head), file: file, trace)
    }
    var partial = trace.partial
    (partial.bytes, partial.sha256) = (content.bytes, content.sha256)
    if transfer.isFeedBody, try await isSameBody(content) {
      return try await endBody(unchanged: whole.head, partial: partial, trace)
    }
    let label = try await context.label(of: feed)
    let hidden = trace.asking.hidden
    var named = transfer
    named.asset.url = hidden.masked(transfer.asset.url)
    var name = assetName(
      named, feed: feed, label: label, head: whole.head,
      address: WebAddress(hidden.masked(whole.address.text)) ?? whole.address,
      in: context.effects.machine.zone)
    var intent = PlacementIntent(
      directory: directory, name: "", size: content.bytes, sha256: content.sha256,
      modified: transfer.item?.published
        ?? whole.head["Last-Modified"].flatMap { Instant(httpDate: $0, now: context.now) },
      identity: file.identity)
    var number = 0
    for _ in 1...Self.mostNames {
      number += 1
      intent.name = name.candidate(number)
      let path = intent.directory + "/" + intent.name
      guard context.names.take(path) else { continue }
      defer { context.names.release(path) }
      switch try await isFree(&intent) {
      case .failure(.directoryTaken(_, let level)):
        name.numberDirectory(level)
        number = 0
        continue
      case .failure(let problem): return try await end(.failed(.documents(problem), nil), file: file, trace)
      case .success(false): continue
      case .success(true): break
      }
      // Nothing is lost by a crash from here on: the next process finds a whole file, or one that is not what was written.
      guard try await context.store.intend(transfer.number, intent, partial) else {
        return try await end(.lost, file: file, trace)
      }
      switch await context.documents.place(transfer.number, intent, context.settings.freeSpace) {
      case .failure(.directoryTaken(_, let level)):
        name.numberDirectory(level)
        number = 0
        continue
      case .failure(let problem): return try await end(.failed(.documents(problem), nil), file: file, trace)
      case .success(.nameTaken): continue
      case .success(.placed):
        return try await settle(placed: intent, partial: partial, response: whole.head, trace)
      }
    }
    let problem = DocumentsProblem.other(
      path: directory, detail: "every name like \(name.candidate(1)) is taken")
    return try await end(.failed(.documents(problem), nil), file: file, trace)
  }

  /// More files of one name than any directory has.
  private static let mostNames = 10_000

  /// Whether a name may be taken: nothing has it in any mixture of cases, or it is the file that is to be replaced.
  private func isFree(_ intent: inout PlacementIntent) async throws -> Result<Bool, DocumentsProblem> {
    let owner = try await context.store.owner(intent.directory, intent.name)
    let isOwn = transfer.isFeedBody && download.keep.keepsAll && owner == feed.name
    intent.replaces = false
    if isOwn, let former = try await formerFile(intent) {
      intent.replaces = await context.documents.exists(former, false)
      if intent.replaces { return .success(true) }
    }
    // What is there under a name of the feed's own, and is not what was placed, is somebody else's.
    guard owner == nil || isOwn else { return .success(false) }
    return await context.documents.isTaken(intent.directory, intent.name).map { !$0 }
  }

  /// The feed's file that was placed under the name of an intent.
  private func formerFile(_ intent: PlacementIntent) async throws -> PlacedFile? {
    try await context.store.placedFiles(feed.name).map(\.file).last { file in
      file.directory == intent.directory && file.name == intent.name
    }
  }

  /// Settles a transfer whose file has its final name.
  func settle(
    placed intent: PlacementIntent, partial: PartialDownload, response: Response?, _ trace: TransferTrace
  ) async throws -> TransferEnding {
    let file = PlacedFile(
      directory: intent.directory, name: intent.name, size: intent.size, sha256: intent.sha256,
      placed: context.now)
    let label = try await context.label(of: feed)
    let fetched = transfer.isFeedBody ? try await commit(placed: file, partial, response, trace) : nil
    var settlement = settlement(.finished, reason: nil, label, cause: fetched?.cause)
    settlement.file = file
    settlement.partial = partial
    settlement.commit = fetched.map { ($0.feed, $0.nextDue) }
    if fetched == nil { settlement.requests = trace.asking.requests }
    settlement.events += try await event(
      .assetPlaced, file: file, reason: nil, label, trace, cause: fetched?.cause)
    guard try await context.store.settle(settlement, context.run) else {
      // Cancelled at the last moment: what nobody wants does not stay.
      if !intent.replaces { _ = await context.documents.remove(file, false) }
      return .lost
    }
    context.report(.placed(line, file))
    if let fetched { context.note(fetched.report) }
    context.notifier.wake()
    return .placed(isResumed: trace.isResumed)
  }
}
