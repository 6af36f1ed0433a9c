// One feed, straight through: request, response, document, classification, commit.

import Core
import Store

/// How the fetch of one feed ended.
indirect enum FetchEnd: Sendable {
  case committed(FeedReport, FetchTrace)
  /// No host could be reached; more feeds must be tried to know whether the network is at fault.
  case unreached(FetchFailure, FetchTrace)
  /// The feed is of kind `asset`; its transfer is queued.
  case queued
  /// The run ended first, or another process took it for dead; the fetch does not count.
  case suspended
}

/// Fetches the feeds of one round, each by one call; a class, because the task of each feed holds it.
final class FeedFetcher: Sendable {
  let settings: Settings
  let effects: Effects
  /// The round's number in the store.
  let round: Int64
  /// The origin of the round's events; its time is the start of the round.
  let origin: EventOrigin
  let runsHooks: Bool
  /// The hosts as the fetches of the round have found them.
  let hosts: HostLedger
  /// The requests of all rounds to each host.
  let turns: HostTurns
  /// The pushes that the round settles.
  let pushes: RoundPushes
  /// When the budget ends, in the machine's milliseconds; nil is never.
  let budgetEnd: Int64?
  /// The fingerprint under which runs record when feeds are due (`RunOptions.dueFingerprint`).
  let dueFingerprint: UInt64?
  var machine: MachineEffects { effects.machine }

  init(_ rounds: Rounds, _ plan: Plan, round: Int64, origin: EventOrigin) {
    settings = rounds.settings
    effects = rounds.effects
    self.round = round
    self.origin = origin
    runsHooks = rounds.options.runsHooks
    hosts = HostLedger(plan.hosts)
    turns = rounds.turns
    pushes = plan.pushes
    budgetEnd = rounds.budget.end
    dueFingerprint = rounds.options.dueFingerprint
  }

  /// Fetches one feed and commits the result.
  ///
  /// - Parameter shared: the fetch of another feed whose response this feed shares; nil sends a request.
  /// - Throws: what the store throws.
  func fetch(_ due: DueFeed, sharing shared: FetchTrace? = nil) async throws -> FetchEnd {
    let feed = due.feed
    if feed.kind == .asset {
      // Its transfer fetches it, unless one is queued already.
      try await effects.store.queueFeedBody(
        feed.name, description: feed.title ?? feed.name.text, round: round, at: origin.time)
      return .queued
    }
    var trace = FetchTrace(due: due, state: due.state, started: machine.now())
    trace.end = machine.moment(after: feed.network.timeout)
    let result: RequestResult
    if let sharedResult = shared?.result {
      shared?.share(with: &trace)
      result = sharedResult
    } else if feed.isCommand {
      result = await runCommand(&trace)
    } else if let file = feed.file {
      result = await read(file, &trace)
    } else {
      result = try await request(feed, &trace)
    }
    // Feeds with the same request share the response, each with its own command.
    trace.result = result
    let final = await throughCommand(result, &trace)
    if Task.isCancelled || final.isSuspended {
      try await suspend(trace)
      return .suspended
    }
    switch final {
    case .failed(let failure): return try await commitOrDefer(failure, trace)
    case .notModified(let response): return try await commitNotModified(response, &trace)
    case .document(let response): return try await commitDocument(response, &trace)
    }
  }

  /// Commits a failure, or leaves it to the round if the network may be at fault.
  private func commitOrDefer(_ failure: FetchFailure, _ trace: FetchTrace) async throws -> FetchEnd {
    let mayBeNetwork = trace.attempt(failed: failure)?.mayBeNetwork ?? false
    return mayBeNetwork ? .unreached(failure, trace) : try await commitFailure(failure, trace)
  }

  /// Commits a failure.
  func commitFailure(_ failure: FetchFailure, _ trace: FetchTrace) async throws -> FetchEnd {
    let reason = failure.words(hiding: trace.hidden)
    let change = change(trace) { stateAfterFailure(trace.state, $0, failure: failure, reason: reason) }
    return try await commitOutcome(FetchOutcome(result: .failed, reason: reason), change, trace)
  }

  private func commitNotModified(_ response: Response, _ trace: inout FetchTrace) async throws -> FetchEnd {
    var outcome = FetchOutcome(result: .noData, reason: notModifiedReason)
    if let page = trace.feed.articlePage {
      outcome.reason += try await readPages(page, for: &outcome.classification, &trace)
    }
    var change = change(trace) { [outcome, state = trace.state] in
      stateAfterSuccess(state, $0, result: outcome.result, reason: outcome.reason, hints: nil)
    }
    change.state.validators = trace.state.validators.refreshed(by: response)
    return try await commitOutcome(outcome, change, trace)
  }

  private func commitDocument(_ response: Response, _ trace: inout FetchTrace) async throws -> FetchEnd {
    let known = try await effects.store.knownItems(trace.feed.name)
    let former = trace.feed.kind.isPageText ? try await formerPage(known) : nil
    let document = DocumentReading(
      response: response, feed: trace.feed, state: trace.state, address: trace.address, hidden: trace.hidden,
      known: known, former: former, time: origin.time)
    switch await reading(&trace, { document.read($0) }) {
    case nil: return try await endUnread(trace)
    case .failure(.truncated): return try await commitFailure(.truncated, trace)
    case .failure(let failure): return try await commitOrDefer(failure, trace)
    case .success(let news): return try await commitNews(news, response, &trace)
    }
  }

  /// Commits the news of a document.
  private func commitNews(
    _ news: DocumentReading.News, _ response: Response, _ trace: inout FetchTrace
  ) async throws -> FetchEnd {
    let document = news.document
    var found = news.found
    if let access = trace.access { trace.route?.accept(newAddress: document.newAddress, access) }
    var reason = reason(of: found)
    if let page = trace.feed.articlePage { reason += try await readPages(page, for: &found, &trace) }
    let outcome = FetchOutcome(
      result: found.count > 0 ? .newData : .noData, reason: reason, classification: found)
    var change = change(trace) { [state = trace.state] in
      stateAfterSuccess(
        state, $0, result: outcome.result, reason: outcome.reason, hints: document.hints)
    }
    change.state.title = document.title.map { cleanText($0, limit: 256) }
    change.state.link = document.link
    change.state.identity = found.identity
    change.state.validators =
      trace.validatorKey.map { Validators(from: response, at: $0, now: origin.time) } ?? Validators()
    change.state.recordsAssets = trace.feed.download != nil
    guard let assets = try await assets(of: document, found, &trace) else {
      return try await endUnread(trace)
    }
    // A hub link may repeat the secret address of the feed.
    let hubs =
      trace.feed.hasSecretAddress ? HubLinks() : hubLinks(of: response, from: trace.address?.text, document)
    return try await commitOutcome(outcome, change, trace, assets: assets, hubLinks: hubs)
  }

  /// The text of a page as it was stored last; nil at the first fetch.
  private func formerPage(_ known: [KnownItem]) async throws -> FormerPage? {
    guard let newest = known.last(where: { !$0.isFiltered && !$0.isPruned }) else { return nil }
    let items = try await effects.store.items(numbered: [newest.number])
    let record = try await effects.store.withDetails(items).first?.record
    return FormerPage(
      number: newest.number, content: record?.details?.content, summary: record?.summary)
  }

  /// The unknown assets of a document, and which of them to download; nil if the search was stopped.
  private func assets(
    of document: ParsedFeed, _ found: Classification, _ trace: inout FetchTrace
  ) async throws -> AssetFindings? {
    guard trace.feed.download != nil else { return AssetFindings() }
    let name = trace.feed.name
    let known = try await effects.store.knownAssets(name)
    let omitted = try await effects.store.omittedAssets(name)
    let isByAge = trace.feed.download?.keep.age != nil
    let moment = isByAge ? try await effects.clockTrust().ageMoment(origin.time) : origin.time
    func search(_ files: [CountedFile]) async -> AssetFindings? {
      let facts = trace
      return await reading(&trace) { shouldStop in
        var findings = findAssets(
          in: document, found, feed: facts.feed, state: facts.state, known: known, omitted: omitted,
          files: files, at: moment, shouldStop: shouldStop)
        findings.hide(facts.hidden)
        return findings
      }
    }
    var findings = await search([])
    // The disk is looked at only if there is a file that `keep` may leave out.
    if let keep = trace.feed.download?.keep, !keep.keepsAll, findings?.wanted.isEmpty == false {
      let placed = try await effects.existingFiles(of: trace.feed, settings)
      findings = await search(placed.map(\.counted) + (try await effects.store.queuedFiles(name)))
    }
    return findings
  }

  /// Reads until the feed's time limit passes or the run ends; nil if that came first.
  func reading<Outcome: Sendable>(
    _ trace: inout FetchTrace, _ work: @escaping @Sendable (_ shouldStop: @escaping ShouldStop) -> Outcome
  ) async -> Outcome? {
    switch await machine.reading(until: min(trace.end, budgetEnd ?? .max), work) {
    case .done(let outcome): return outcome
    case .stopped: return nil
    case .left:
      trace.wasLeft = true
      return nil
    }
  }

  /// Whether the run ends, by a signal or its budget.
  var isOver: Bool {
    Task.isCancelled || budgetEnd.map { machine.milliseconds() >= $0 } ?? false
  }

  /// Ends a fetch whose document could not be read before the run ended or the feed's time limit passed.
  private func endUnread(_ trace: FetchTrace) async throws -> FetchEnd {
    guard isOver else {
      return try await commitFailure(.timeout(trace.feed.network.timeout), trace)
    }
    // The next run counts an attempt that is still under way as a crash, so that the feed comes last if that is repeated.
    if !trace.wasLeft { try await suspend(trace) }
    return .suspended
  }

  /// Decides what a fetch changes, given what is known about its host now.
  private func change(_ trace: FetchTrace, _ decide: (FetchAttempt) -> StateChange) -> StateChange {
    hosts.change(trace.address?.host) { decide(attempt(trace, $0)) }
  }

  /// The facts of a fetch, or of a request for a page, at a host in this state.
  func attempt(_ trace: FetchTrace, _ host: HostState) -> FetchAttempt {
    var attempt = FetchAttempt(
      feed: trace.feed, started: origin.time, ended: machine.now(), address: trace.address,
      response: trace.response, hostState: host, machine: machine.identity)
    attempt.route = trace.route
    attempt.isShared = trace.isShared
    attempt.mayBeOffline = trace.mayBeOffline
    return attempt
  }

  /// Commits what a fetch came to, with the pushes that it settles.
  private func commitOutcome(
    _ outcome: FetchOutcome, _ change: StateChange, _ trace: FetchTrace,
    assets: AssetFindings = AssetFindings(), hubLinks: HubLinks? = nil
  ) async throws -> FetchEnd {
    let feed = trace.feed
    var fetch = FinishedFetch(
      feed, outcome, state: change.state, started: trace.started, ended: machine.now(), origin: origin
    )
    fetch.apply(change, host: trace.address?.host)
    if !feed.hasSecretAddress {
      for host in trace.otherHosts { fetch.commit.hosts[host] = hosts.state(of: host) }
    }
    fetch.commit.record.requests = trace.requests
    fetch.commit.recognised = outcome.classification.recognised
    fetch.commit.assets = assets
    fetch.commit.hubLinks = hubLinks
    let isCaused = pushes.caused.contains(feed.name)
    if isCaused { fetch.origin.cause = .push }
    fetch.pushes = pushVerdict(
      pushes.ready(feed.name, at: origin.time), outcome.result, isCounted: change.isCounted,
      isCaused: isCaused, at: fetch.ended)
    let former = trace.state.hasOtherRequest ? try await effects.store.facts(of: feed.name) : FeedFacts()
    fetch.commit.endsAttemptOf = round
    guard let report = try await commit(fetch) else { return .suspended }
    if let move = change.move { effects.report(.notice(.moved(feed.name, move))) }
    // Other headers or another selector are no other address.
    if former.items > 0, let address = former.lastFetches.first?.requests.first?.address, !address.isEmpty,
      let present = trace.requests.first?.address, present != address
    {
      effects.report(.notice(.readdressed(feed.name, former: address, items: former.items)))
    }
    return .committed(report, trace)
  }

  /// Commits a finished fetch, and reports it; nil if its attempt was settled before.
  func commit(_ fetch: FinishedFetch) async throws -> FeedReport? {
    let found = fetch.outcome.classification.newItems.map {
      ItemTimes(published: $0.published, firstSeen: fetch.ended)
    }
    let next = try await nextDecision(fetch.feed, after: fetch.commit.state, found: found)
    var commit = fetch.commitWithEvents(for: runsHooks ? settings.hooks : [], in: machine.zone)
    if let dueFingerprint, fetch.feed.adapt != .habits {
      commit.lasting = next.lastingMoment.map { LastingMoment($0, under: dueFingerprint) }
    }
    guard
      try await effects.store.commit(
        commit, round: round, nextDue: next.dueAt, configured: settings.feedNames) != nil
    else { return nil }
    let report = FeedReport(fetch, nextDue: next.dueAt)
    effects.report(.fetched(report))
    return report
  }
}
