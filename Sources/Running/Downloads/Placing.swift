// A complete file gets its final name: checksum, name, intent, rename, commit; and retention, which removes files again.

package import Core
import Machine
import Store
import Synchronization

extension TransferAttempt {
  /// Gives a complete file its final name, and settles the transfer.
  func place(_ head: Response, from address: WebAddress) async throws -> TransferOutcome {
    do {
      return try await placeUnderFreeName(head, from: address)
    } catch let problem as DocumentsProblem {
      return Task.isCancelled ? try await end(.suspended) : try await fail(.documents(problem), nil)
    }
  }

  private func placeUnderFreeName(
    _ head: Response, from address: WebAddress
  ) async throws -> TransferOutcome {
    guard let file = body?.file else { return .lost }
    var partial = known
    partial.bytes = file.size
    partial.sha256 = try await file.sha256()
    guard let sum = partial.sha256 else { return try await end(.suspended) }
    if transfer.isFeedBody, try await isSameBody(partial) {
      return try await endFetch(unchanged: head, partial)
    }
    var intent = PlacementIntent(
      directory: directory, name: "", size: partial.bytes, sha256: sum,
      modified: transfer.item?.published
        ?? head["Last-Modified"].flatMap { Instant(httpDate: $0) },
      identity: file.identity)
    let name = try await name(head, from: address)
    for number in 1...Self.maximumNames {
      intent.name = name.candidate(number)
      let reserved = caseless(intent.name)
      guard context.notes.withLock({ $0.names.insert(reserved).inserted }) else { continue }
      defer { _ = context.notes.withLock { $0.names.remove(reserved) } }
      if try await isFree(&intent) {
        // From here on a crash loses nothing: the next process finds a complete file, or a file with another checksum.
        guard try await context.store.recordIntent(transfer.number, intent, partial) else {
          return try await write(.lost)
        }
        let outcome = try await context.documents(directory).place(Placement(transfer.number, intent))
        if outcome == .placed { return try await settle(intent, partial, head) }
      }
      if try await isThere(intent) { return try await write(.unchanged) }
    }
    throw DocumentsProblem.other(
      path: directory, detail: "every name like \(name.candidate(1)) is taken")
  }

  /// A limit that no directory reaches for one name.
  private static let maximumNames = 10_000

  /// The name from the configuration's template, without the feed's secrets.
  private func name(_ head: Response, from address: WebAddress) async throws -> AssetName {
    var named = transfer
    named.asset.url = hidden.masked(transfer.asset.url)
    var details: ItemDetails?
    if download.namesUseDetails, let item = transfer.item {
      details = try await context.store.detailsOf([item.number])[item.number]
    }
    return assetName(
      named, details: details, feed: feed, label: try await context.label(of: feed), head: head,
      address: WebAddress(hidden.masked(address.text)) ?? address, in: machine.zone)
  }

  /// Whether a name may be used: nothing has it, nor a placed file in another letter case, or it replaces the feed's own earlier
  /// file.
  private func isFree(_ intent: inout PlacementIntent) async throws -> Bool {
    let owner = try await context.store.owner(intent.directory, name: intent.name)
    let own = try await storedName()
    let isOwn = transfer.isFeedBody && download.keep.keepsAll && owner == own
    intent.replaces = false
    let former = isOwn ? try await context.store.placedFiles(own).map(\.file) : []
    if let former = former.last(where: { $0.directory == intent.directory && $0.name == intent.name }) {
      intent.replaces = await context.documents(former.directory).exists(former, ofAnySize: false)
      if intent.replaces { return true }
    }
    // A file under the feed's own name that is not the placed one belongs to the user.
    guard owner == nil || isOwn else { return false }
    return try await !context.documents(intent.directory).isTaken(intent.name)
  }

  /// Whether a file of the person's, such as one of another program, has the name and the content.
  private func isThere(_ intent: PlacementIntent) async throws -> Bool {
    guard !transfer.isFeedBody,
      try await context.store.owner(intent.directory, name: intent.name) == nil
    else { return false }
    // A file that cannot be read is not known to be the same one.
    return (try? await context.documents(intent.directory).isPlaced(Placement(transfer.number, intent)))
      ?? false
  }

  /// Settles the transfer, whose file has its final name.
  private func settle(
    _ intent: PlacementIntent, _ partial: PartialDownload, _ response: Response?
  ) async throws -> TransferOutcome {
    let file = PlacedFile(
      directory: intent.directory, name: intent.name, size: intent.size, sha256: intent.sha256,
      placed: context.now)
    let fetch = transfer.isFeedBody ? try await fetch(placed: file, partial, response) : nil
    let outcome = try await write(
      .placed(file, isResumed: body?.now.isResumed ?? false), partial: partial, fetch: fetch)
    // Another process has settled the transfer; if it has done so because it found the file, the file stays.
    if outcome == .lost, !intent.replaces,
      try await context.store.owner(intent.directory, name: intent.name) != storedName()
    {
      _ = try? await context.documents(file.directory).remove(file, ofAnySize: false)
    }
    return outcome
  }

  /// Settles a placement that a dead process left half done: the file has its name, or the transfer continues.
  func settleInterrupted(_ intent: PlacementIntent) async throws {
    let documents = context.documents(intent.directory)
    var isPlaced = false
    do throws(DocumentsProblem) {
      isPlaced = try await documents.isPlaced(Placement(transfer.number, intent))
    } catch {
      // Whether the file has its name is known only when the directory is available again.
      if intent.directory == directory { return context.warn(of: .documents(error), transfer) }
    }
    if isPlaced {
      _ = try await settle(intent, partial, nil)
      await documents.discard(transfer.number)
    } else {
      await documents.clear(transfer.number, intent)
      let attempt = StoppedAttempt(transfer, partial: partial, began: began, ended: context.now)
      _ = try await context.end(TransferEnd(transfer.number, attempt.outcome(.died), ended: context.now))
    }
  }
}

extension TransferContext {
  /// Settles the placements that a dead process left half done.
  func settleInterrupted() async throws {
    for transfer in try await store.reclaimInterrupted() {
      guard let intent = transfer.intent, let feed = settings.feeds[transfer.feed]
      else { continue }
      let attempt = TransferAttempt(transfer, of: feed, self)
      try await attempt.settleInterrupted(intent)
    }
  }

  /// Removes the files that `keep` no longer retains.
  ///
  /// A file is removed only if bgfetch placed it, and nothing but hooks has changed it since.
  func prune() async throws {
    let moment = trust.ageMoment(now)
    for feed in settings.feeds.parts(of: try await store.feedsWithFiles()).joined() {
      guard let keep = feed.download?.keep, !keep.keepsAll else { continue }
      guard !filesToRemove(try await store.placedFiles(feed.name), keep: keep, at: moment).isEmpty else {
        continue
      }
      let unwanted = filesToRemove(
        try await effects.existingFiles(of: feed, settings), keep: keep, at: moment)
      var removed: [Int64] = []
      for placed in unwanted {
        let documents = documents(placed.file.directory)
        // The next run retries a file that cannot be removed now.
        guard
          let existed = try? await documents.remove(
            placed.file, ofAnySize: settings.mayChangeFiles(of: feed))
        else { continue }
        removed.append(placed.transfer)
        if existed { report(.notice(.transferRemoved(feed.name, placed.file))) }
      }
      if !removed.isEmpty { try await store.markRemoved(removed, at: now) }
    }
  }

  /// The bound of `keep` beyond which the file of a transfer would be, so that it is not downloaded; nil if it would stay.
  func omission(of transfer: Transfer, _ feed: FeedSpec) async throws -> OmissionRule? {
    guard !transfer.isFeedBody, let keep = feed.download?.keep, !keep.keepsAll else { return nil }
    let moment = trust.ageMoment(now)
    let queued = try await store.queuedFiles(feed.name)
    let placed = try await store.placedFiles(feed.name)
    func omission(_ placed: [PlacedTransfer]) -> OmissionRule? {
      Core.omission(of: transfer.number, among: placed.map(\.counted) + queued, keep: keep, at: moment)
    }
    // Files that the person has removed are looked for only if they may count.
    guard omission(placed) != nil else { return nil }
    return omission(try await effects.existingFiles(of: feed, settings))
  }

  /// Removes the partial files that no transfer needs.
  func discardOrphans() async throws {
    let needed = try await store.transfersWithPartialFiles()
    for directory in try await store.usedDirectories().sorted() {
      await documents(directory).discardOthers(keeping: needed)
    }
  }
}

extension Effects {
  /// The placed files of a feed that the user has not removed; where each look is a request, all.
  package func existingFiles(of feed: FeedSpec, _ settings: Settings) async throws -> [PlacedTransfer] {
    var existing: [PlacedTransfer] = []
    for placed in try await store.placedFiles(feed.name) {
      let documents = documents(placed.file.directory)
      let exists =
        documents.isRemote
        ? true : await documents.exists(placed.file, ofAnySize: settings.mayChangeFiles(of: feed))
      if exists { existing.append(placed) }
    }
    return existing
  }
}

extension Settings {
  /// Whether hooks may change the placed files of a feed.
  package func mayChangeFiles(of feed: FeedSpec) -> Bool { hooks.contains { $0.getsFiles(of: feed) } }
}
