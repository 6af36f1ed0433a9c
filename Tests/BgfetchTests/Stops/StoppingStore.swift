// The store and the transfers of a run that an EffectStop ends at one of its effects. Reading is not an effect.

import Core

@testable import bgfetch

struct StoppingStore: RunStore {
  let store: any RunStore
  let stop: EffectStop

  func dataVersion() async throws -> Int {
    try await store.dataVersion()
  }

  func beginning(of part: HistoryPart) async throws -> Int64 {
    try await store.beginning(of: part)
  }

  func fetches(_ part: HistoryPart, after place: Int64, atMost count: Int) async throws -> [PastFetch] {
    try await store.fetches(part, after: place, atMost: count)
  }

  func feedStates(of feeds: [FeedName]) async throws -> [FeedName: FeedState] {
    try await store.feedStates(of: feeds)
  }

  func hostStates() async throws -> [String: HostState] {
    try await store.hostStates()
  }

  func mayBeDue(_ note: UInt64, at now: Instant, share: RoundShare?) async throws -> [FeedName]? {
    try await store.mayBeDue(note, at: now, share: share)
  }

  func beginLook() async throws {
    try await stop.effect { try await store.beginLook() }
  }

  func noteDue(_ looks: [FeedLook], at now: Instant) async throws -> Int {
    try await stop.effect { try await store.noteDue(looks, at: now) }
  }

  func noteDue(ofPart looks: [FeedLook], at now: Instant) async throws {
    try await stop.effect { try await store.noteDue(ofPart: looks, at: now) }
  }

  func noteAllDue(_ note: UInt64, configured: FeedNames, at now: Instant) async throws {
    try await stop.effect { try await store.noteAllDue(note, configured: configured, at: now) }
  }

  func nextDue(after now: Instant) async throws -> (feed: FeedName, at: Instant)? {
    try await store.nextDue(after: now)
  }

  func habits(of feeds: [FeedName]) async throws -> [FeedName: Habit] {
    try await store.habits(of: feeds)
  }

  func noteConfigured(_ feeds: FeedNames, at now: Instant) async throws {
    try await stop.effect { try await store.noteConfigured(feeds, at: now) }
  }

  func beginRun(
    _ cause: RunCause, process: Int32, named: Bool, forced: Bool, hosts: Set<String>, at now: Instant
  ) async throws -> Int64 {
    try await stop.effect {
      try await store.beginRun(
        cause, process: process, named: named, forced: forced, hosts: hosts, at: now)
    }
  }

  func claimedHosts() async throws -> Set<String> { try await store.claimedHosts() }

  func release(_ hosts: Set<String>, of run: Int64) async throws {
    try await stop.effect { try await store.release(hosts, of: run) }
  }

  func reserveRequest(to host: String, delay: Interval) async throws -> Int64 {
    try await stop.effect { try await store.reserveRequest(to: host, delay: delay) }
  }

  func endRun(_ run: Int64, at now: Instant, totals: RunTotals) async throws {
    try await stop.effect { try await store.endRun(run, at: now, totals: totals) }
  }

  func beginTransfers(_ run: Int64) async throws {
    try await stop.effect { try await store.beginTransfers(run) }
  }

  func endTransfers(_ run: Int64, at now: Instant, totals: RunTotals) async throws {
    try await stop.effect { try await store.endTransfers(run, at: now, totals: totals) }
  }

  func forgetDormant(configured: FeedNames, before: Instant) async throws -> [FeedName] {
    try await stop.effect { try await store.forgetDormant(configured: configured, before: before) }
  }

  func prune(before: Instant, limit: Int) async throws -> Int {
    try await stop.effect { try await store.prune(before: before, limit: limit) }
  }

  func recordAttempts(_ feeds: [FeedName], run: Int64, at now: Instant, hosts: [String: HostState])
    async throws
  {
    try await stop.effect { try await store.recordAttempts(feeds, run: run, at: now, hosts: hosts) }
  }

  func suspendAttempt(_ feed: FeedName, run: Int64, record: FetchRecord, nextDue: Instant?) async throws {
    try await stop.effect { try await store.suspendAttempt(feed, run: run, record: record, nextDue: nextDue) }
  }

  func lastRun(before moment: Instant) async throws -> Instant? { try await store.lastRun(before: moment) }

  func settleInterrupted(at now: Instant) async throws {
    try await stop.effect { try await store.settleInterrupted(at: now) }
  }

  func commit(_ commit: FeedCommit, run: Int64?, nextDue: Instant?, configured: FeedNames) async throws
    -> [Int64]?
  {
    try await stop.effect {
      try await store.commit(commit, run: run, nextDue: nextDue, configured: configured)
    }
  }

  func knownItems(_ feed: FeedName) async throws -> [KnownItem] {
    try await store.knownItems(feed)
  }

  func knownAssets(_ feed: FeedName) async throws -> [KnownAsset] {
    try await store.knownAssets(feed)
  }

  func omittedAssets(_ feed: FeedName) async throws -> [KnownAsset: Asset] {
    try await store.omittedAssets(feed)
  }

  func queuedFiles(_ feed: FeedName) async throws -> [CountedFile] {
    try await store.queuedFiles(feed)
  }

  func addTransfers(
    _ feed: FeedName, _ items: WantedItems, at now: Instant, where isWanted: @Sendable (Asset) -> Bool
  ) async throws -> [Int64] {
    try await stop.effect { try await store.addTransfers(feed, items, at: now, where: isWanted) }
  }

  func queueFeedBody(_ feed: FeedName, description: String, run: Int64?, at now: Instant) async throws
    -> Int64?
  {
    try await stop.effect { try await store.queueFeedBody(feed, description: description, run: run, at: now) }
  }

  func waitingPushes() async throws -> [StoredPush] {
    try await store.waitingPushes()
  }

  func pushFetches(since: Instant) async throws -> [FeedName: [Instant]] {
    try await store.pushFetches(since: since)
  }

  func dropPushes(_ numbers: [Int64]) async throws {
    try await stop.effect { try await store.dropPushes(numbers) }
  }

  func badge(configured: FeedNames) async throws -> Int {
    try await store.badge(configured: configured)
  }

  func detailsOf(_ items: [Int64]) async throws -> [Int64: ItemDetails] {
    try await store.detailsOf(items)
  }

  func record(_ events: [EventRecord], run: Int64?) async throws {
    try await stop.effect { try await store.record(events, run: run) }
  }

  func waitingMessages(except digests: Set<String>) async throws -> [WaitingMessages] {
    try await store.waitingMessages(except: digests)
  }

  func postpone(
    _ messages: WaitingMessages, until moment: Instant, at now: Instant, except digests: Set<String>
  ) async throws {
    try await stop.effect { try await store.postpone(messages, until: moment, at: now, except: digests) }
  }

  func collect(_ hook: String, until moment: Instant) async throws {
    try await stop.effect { try await store.collect(hook, until: moment) }
  }

  func hooksWithWork(at now: Instant) async throws -> Set<String> {
    try await store.hooksWithWork(at: now)
  }

  func nextDeliveryMoment(after now: Instant, hooks: Set<String>?) async throws -> Instant? {
    try await store.nextDeliveryMoment(after: now, hooks: hooks)
  }

  func resetRunning(_ hook: String) async throws {
    try await stop.effect { try await store.resetRunning(hook) }
  }

  func nextDelivery(
    _ hook: String, at now: Instant, except kept: Set<Int64>, parallel: Int
  ) async throws -> Delivery? {
    try await stop.effect { try await store.nextDelivery(hook, at: now, except: kept, parallel: parallel) }
  }

  func noteUnknown(_ feeds: [FeedName]) async throws {
    try await stop.effect { try await store.noteUnknown(feeds) }
  }

  func unreadEvents(of consumer: String, limit: Int) async throws -> [Delivery] {
    try await stop.effect { try await store.unreadEvents(of: consumer, limit: limit) }
  }

  func markRead(_ deliveries: [Int64], at now: Instant) async throws {
    try await stop.effect { try await store.markRead(deliveries, at: now) }
  }

  func pendingNotifications(_ hook: String, at now: Instant) async throws -> [Delivery] {
    try await store.pendingNotifications(hook, at: now)
  }

  func notificationItems(_ delivery: Int64) async throws -> [StoredItem] {
    try await store.notificationItems(delivery)
  }

  func repeatedItems(_ items: [Int64], to hook: String, at now: Instant) async throws -> Set<Int64> {
    try await store.repeatedItems(items, to: hook, at: now)
  }

  func notificationFiles(_ delivery: Int64) async throws -> [Int64: [String]] {
    try await store.notificationFiles(delivery)
  }

  func readyCounts(_ delivery: Int64) async throws -> ReadyCounts {
    try await store.readyCounts(delivery)
  }

  func freeze(_ delivery: Int64, fields: [EventField]) async throws -> Bool {
    try await stop.effect { try await store.freeze(delivery, fields: fields) }
  }

  func merge(_ deliveries: [Int64], of hook: String, into record: EventRecord, run: Int64?) async throws
    -> Delivery?
  {
    try await stop.effect { try await store.merge(deliveries, of: hook, into: record, run: run) }
  }

  func finishDelivery(_ number: Int64, _ end: DeliveryEnd, at now: Instant) async throws -> Bool {
    try await stop.effect { try await store.finishDelivery(number, end, at: now) }
  }

  func countAgesAnew(_ hook: String, at now: Instant) async throws {
    try await stop.effect { try await store.countAgesAnew(hook, at: now) }
  }

  func expireDeliveries(_ hook: String, before: Instant) async throws -> Int {
    try await stop.effect { try await store.expireDeliveries(hook, before: before) }
  }

  func printedIdentifier(_ hook: String, identifier: String, session: String) async throws -> String? {
    try await store.printedIdentifier(hook, identifier: identifier, session: session)
  }

  func deliveredNotifications(after delivery: Int64, identifier: String) async throws -> [Delivery] {
    try await store.deliveredNotifications(after: delivery, identifier: identifier)
  }
}

extension StoppingStore {
  func begin(_ transfer: Int64, in directory: String) async throws -> Bool {
    try await stop.effect { try await store.begin(transfer, in: directory) }
  }

  func checkpoint(_ transfer: Int64, _ partial: PartialDownload, isProgress: Bool) async throws -> Bool {
    try await stop.effect { try await store.checkpoint(transfer, partial, isProgress: isProgress) }
  }

  func recordIntent(_ transfer: Int64, _ intent: PlacementIntent, _ partial: PartialDownload) async throws
    -> Bool
  {
    try await stop.effect { try await store.recordIntent(transfer, intent, partial) }
  }

  func end(_ end: TransferEnd, run: Int64?, configured: FeedNames) async throws -> Bool {
    try await stop.effect { try await store.end(end, run: run, configured: configured) }
  }

  func takeInterrupted() async throws -> [Transfer] {
    try await stop.effect { try await store.takeInterrupted() }
  }

  func noteDirectory(_ path: String, at now: Instant) async throws {
    try await stop.effect { try await store.noteDirectory(path, at: now) }
  }

  func markRemoved(_ transfers: [Int64], at now: Instant) async throws {
    try await stop.effect { try await store.markRemoved(transfers, at: now) }
  }

  func unsettled() async throws -> [Transfer] { try await store.unsettled() }
  func usedDirectories() async throws -> Set<String> { try await store.usedDirectories() }
  func placedFiles(_ feed: FeedName) async throws -> [PlacedTransfer] { try await store.placedFiles(feed) }
  func feedsWithFiles() async throws -> [FeedName] { try await store.feedsWithFiles() }
  func item(_ number: Int64) async throws -> StoredItem? { try await store.item(number) }

  func owner(_ directory: String, name: String) async throws -> FeedName? {
    try await store.owner(directory, name: name)
  }

  func lastFinished(_ feed: FeedName, url: String) async throws -> Transfer? {
    try await store.lastFinished(feed, url: url)
  }
}

/// A documents directory that stops after a change.
struct StoppingDocuments: Documents {
  let real: any Documents
  let stop: EffectStop

  private static let dead = DocumentsProblem.other(path: "", detail: "dead")

  func prepare(wasUsed: Bool) async -> Result<FileSystemSpace?, DocumentsProblem> {
    await stop.effect(or: .failure(Self.dead)) { await real.prepare(wasUsed: wasUsed) }
  }

  func openPartial(_ transfer: Int64, keeping kept: Int64) async -> Result<any PartialFile, DocumentsProblem>
  {
    await stop.effect(or: .failure(Self.dead)) { await real.openPartial(transfer, keeping: kept) }
  }

  func place(
    _ placements: [Placement], leaving floor: ByteCount
  ) async -> [Result<PlaceOutcome, DocumentsProblem>] {
    await stop.effect(or: placements.map { _ in .failure(Self.dead) }) {
      await real.place(placements, leaving: floor)
    }
  }

  func clear(_ transfer: Int64, _ intent: PlacementIntent) async {
    await stop.effect(or: ()) { await real.clear(transfer, intent) }
  }

  func discard(_ transfer: Int64) async {
    await stop.effect(or: ()) { await real.discard(transfer) }
  }

  func discardOthers(keeping transfers: Set<Int64>) async {
    await stop.effect(or: ()) { await real.discardOthers(keeping: transfers) }
  }

  func remove(_ file: PlacedFile, ofAnySize: Bool) async -> Result<Bool, DocumentsProblem> {
    await stop.effect(or: .failure(Self.dead)) { await real.remove(file, ofAnySize: ofAnySize) }
  }

  var isRemote: Bool { real.isRemote }

  func isPlaced(_ placement: Placement) async -> Result<Bool, DocumentsProblem> {
    await real.isPlaced(placement)
  }

  func areTaken(_ names: [String]) async -> [Result<Bool, DocumentsProblem>] {
    await real.areTaken(names)
  }

  func exists(_ file: PlacedFile, ofAnySize: Bool) async -> Bool {
    await real.exists(file, ofAnySize: ofAnySize)
  }

  func space() async -> Result<FileSystemSpace, DocumentsProblem> {
    await real.space()
  }
}
