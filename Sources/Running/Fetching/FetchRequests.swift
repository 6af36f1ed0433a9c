// The requests of one fetch, up to the final response: the facts about it, its log, and who may share its response.

import Core
import Machine
import Store

/// How the requests of one fetch ended.
enum RequestResult: Sendable {
  case document(Response)
  /// A 304, or an unchanged file.
  case notModified(Response)
  case failed(FetchFailure)

  /// A file or the output of a command that is the same as last time.
  static let unchanged = RequestResult.notModified(Response(status: 304))

  /// Whether the run ended first.
  var isSuspended: Bool {
    if case .failed(.suspended) = self { true } else { false }
  }
}

extension FeedFetcher {
  /// Resolves the feed's secrets, sends its request and follows redirects, one request for each hop.
  func request(_ feed: FeedSpec, _ trace: inout FetchTrace) async throws -> RequestResult {
    let access: FeedAccess
    switch await effects.network.access(feed) {
    case .success(let resolved): access = resolved
    case .failure(let failure): return .failed(failure)
    }
    trace.access = access
    trace.hidden = access.hidden
    let validators = validators(access.fingerprint, &trace)
    trace.validators = validators
    return try await follow(
      RequestChain(
        access, validators: validators, network: feed.network, userAgent: effects.network.userAgent,
        startingAt: access.addressToAsk(trace.state), connected: trace.state.innerAddress),
      within: feed.network.timeout, &trace)
  }

  /// Sends the request of a chain and follows redirects; the time limit begins now.
  func follow(
    _ chain: RequestChain, within limit: Interval, _ trace: inout FetchTrace
  ) async throws -> RequestResult {
    var chain = chain
    // Resolving secrets has a limit of its own and does not count.
    trace.end = machine.moment(after: limit)
    while true {
      // Nor does waiting for a connection to the host and its delay.
      let began = machine.milliseconds()
      let host = chain.request.address.host
      await turns.enter(host)
      defer { turns.leave(host) }
      await effects.coordination.renewed()
      try await waitForMoment(at: chain.request.address, &trace)
      guard !Task.isCancelled else { return .failed(.suspended) }
      trace.end += machine.milliseconds() - began
      // The limit is for the whole fetch with its redirects; libcurl's is for one request.
      let left = trace.end - machine.milliseconds()
      guard left > 0 else { return .failed(.timeout(limit)) }
      var request = chain.request
      request.network.timeout = .seconds((left + 999) / 1000)
      trace.address = chain.request.address
      trace.route = chain.route
      trace.validatorKey = chain.validatorKey
      let response: Response
      switch await send(request, &trace) {
      case .success(let received): response = received.hiding(trace.hidden)
      case .failure(.timeout): return .failed(.timeout(limit))
      case .failure(let failure): return .failed(failure)
      }
      trace.response = response
      let hasWaited = trace.state.rateLimit.map { (300..<400).contains($0.status) } ?? false
      if let failure = await machine.waitForRedirect(response, hasWaited: hasWaited) {
        return .failed(failure)
      }
      switch chain.handle(response) {
      case .again: continue
      case .failed(let failure): return .failed(failure)
      case .answered: break
      }
      trace.route = chain.route
      switch meaning(of: response, isConditional: chain.isConditional, at: origin.time) {
      case .document: return .document(response)
      case .notModified: return .notModified(response)
      case .failed(.status(204)) where trace.feed.kind.emptyFeed != nil: return .document(response)
      case .failed(let failure): return .failed(failure)
      }
    }
  }

  /// The validators of the last document for a request with this fingerprint; drops facts of other requests.
  private func validators(_ fingerprint: UInt64, _ trace: inout FetchTrace) -> Validators {
    // A stored state has the feed's fingerprint already (`Store.states`).
    trace.state = stateUnderConfiguration(
      trace.state, configuration: trace.state.configurationFingerprint ?? trace.feed.fingerprint,
      request: fingerprint)
    return validatorsToSend(
      trace.state, fingerprint: fingerprint, feed: trace.feed.name, machine: machine.identity,
      at: origin.time)
  }

  /// By how many milliseconds a request may miss its moment.
  private static let latest: Int64 = 100
  /// How many milliseconds the answer to a reservation may take without being late.
  private static let latestAnswer: Int64 = 300

  /// Waits, if a host is public, until its delay after the last request of this run, or of any neighbour, has passed, and takes the moment.
  private func waitForMoment(at address: WebAddress, _ trace: inout FetchTrace) async throws {
    let due = trace.due
    let delay = due.feed.network.delayPerHost
    guard address.isPublicHost, delay > .zero else { return }
    // The round has waited for the host of the feed.
    let isOther = address.host != due.feed.addressToAsk(due.state)?.host
    let earlier = isOther ? lastRequest(to: address.host) : nil
    let own = turns.reserve(address.host, after: earlier, at: machine.milliseconds())
    // Before the neighbours are asked, who count from the moment that they have reserved.
    if own > machine.milliseconds() { await machine.sleep(own) }
    var lateness: Int64 = 0
    // No part of a secret address may be stored, nor where it leads.
    while !due.feed.hasSecretAddress, !Task.isCancelled {
      let asked = machine.milliseconds()
      guard let wait = try await effects.coordination.reserve(address.host, delay, lateness, round) else {
        break
      }
      let answered = machine.milliseconds()
      let moment = answered + wait
      turns.record(address.host, at: moment)
      // The wait counts from the answer. After a late one the turn is lost; the next one may be that late, but not by the minutes
      // for which the server or this process was away.
      guard answered <= asked + max(Self.latestAnswer, lateness) else {
        lateness = min(answered - asked, 5000)
        continue
      }
      if moment > answered { await machine.sleep(moment) }
      // A process that was stopped meanwhile has lost its turn, perhaps with its host.
      if machine.milliseconds() <= moment + Self.latest { break }
    }
    // The next request counts from when this one is sent, not from when it could have been.
    turns.record(address.host, at: machine.milliseconds())
    guard isOther else { return }
    hosts.begin(address.host, now: machine.now())
    trace.otherHosts.insert(address.host)
  }

  /// When the last request of earlier runs to a host began at the latest, in the machine's milliseconds; nil if none is known.
  private func lastRequest(to host: String) -> Int64? {
    let now = machine.now()
    // A request in the future comes from a clock that was set back since, and no delay is longer than a day.
    guard let last = hosts.state(of: host).lastRequest, (now - .days(1)...now).contains(last) else {
      return nil
    }
    // It is stored in whole seconds.
    return machine.milliseconds() - now.since(last).seconds * 1000 + 1000
  }
}

extension MachineEffects {
  /// Waits as long as a redirect asks for; returns a failure if that is too long.
  func waitForRedirect(_ response: Response, hasWaited: Bool) async -> FetchFailure? {
    guard let wait = redirectWait(of: response, receivedAt: now(), hasWaited: hasWaited) else { return nil }
    guard wait <= longestRedirectWait else {
      return .rateLimited(status: response.status, retryAfter: wait)
    }
    await sleep(moment(after: wait))
    return nil
  }
}

extension FeedFetcher {
  /// Reads the file of a feed whose address is `file:`, if it has changed since it was last read.
  ///
  /// The trace gets no response, since caching headers do not apply to files.
  func read(_ file: FileAddress, _ trace: inout FetchTrace) async -> RequestResult {
    let feed = trace.feed
    let validators = validators(feed.localFingerprint, &trace)
    trace.validatorKey = file.text
    switch await effects.network.readFile(file.path, feed.network.maxFeedSize, validators.entityTag) {
    case .failure(let failure): return .failed(failure)
    case .success(.unchanged): return .unchanged
    case .success(.content(let bytes, let tag)):
      return .document(
        Response(status: 200, fields: tag.map { [HeaderField("ETag", $0)] } ?? [], body: bytes))
    }
  }
}

extension FeedFetcher {
  /// Runs the command of a feed without an address; empty output, and the same output as last time, count as a 304.
  func runCommand(_ trace: inout FetchTrace) async -> RequestResult {
    let feed = trace.feed
    let validators = validators(feed.localFingerprint, &trace)
    trace.validatorKey = "command"
    switch await output(of: feed, for: [], &trace) {
    case .failure(let failure): return .failed(failure)
    case .success(let output):
      var digest = Fingerprint()
      for byte in output { digest.add(byte: byte) }
      let tag = "\"" + String(digest.value, radix: 16) + "\""
      guard !output.isEmpty, tag != validators.entityTag else { return .unchanged }
      return .document(Response(status: 200, fields: [HeaderField("ETag", tag)], body: output))
    }
  }

  /// The result with what the feed's command makes of the document; a feed that is a command alone has run it already.
  func throughCommand(_ result: RequestResult, _ trace: inout FetchTrace) async -> RequestResult {
    guard case .document(var response) = result, !trace.feed.command.isEmpty, !trace.feed.isCommand else {
      return result
    }
    switch await output(of: trace.feed, for: response.body, &trace) {
    case .failure(let failure): return .failed(failure)
    case .success(let output):
      // No output from a filter means nothing new, as for a command that makes the document.
      guard !output.isEmpty else { return .unchanged }
      response.body = output
      // The media type belongs to the input, not to the output.
      response.fields.removeAll { $0.name.lowercased() == "content-type" }
      return .document(response)
    }
  }

  private func output(
    of feed: FeedSpec, for input: [UInt8], _ trace: inout FetchTrace
  ) async -> Result<[UInt8], FetchFailure> {
    let result = await effects.network.run(feed, input)
    // The command has a time limit of its own, and so does reading its output.
    trace.end = machine.moment(after: feed.network.timeout)
    return result
  }
}

extension FeedFetcher {
  /// Sends a request and adds it to the log, so that politeness can be proved afterwards.
  private func send(_ request: Request, _ trace: inout FetchTrace) async -> Result<Response, FetchFailure> {
    let began = machine.milliseconds()
    let started = machine.timestamp()
    let outcome = await effects.network.fetch(request)
    trace.requests.append(
      RequestRecord(
        request, of: trace.feed, outcome, started: started, milliseconds: machine.milliseconds() - began,
        hiding: trace.hidden))
    return outcome
  }

  /// Records that a fetch was suspended; only the history shows it.
  func suspend(_ trace: FetchTrace) async throws {
    var record = FetchRecord(
      started: trace.started, ended: machine.now(), result: .failed, reason: FetchRecord.suspended,
      requests: trace.requests)
    record.isCounted = false
    try await effects.store.suspendAttempt(
      trace.feed.name, round: round, record: record,
      nextDue: try await nextDecision(trace.feed, after: trace.state).dueAt)
  }

  /// The decision about the feed's next fetch, after one that found items.
  func nextDecision(
    _ feed: FeedSpec, after state: FeedState, found: [ItemTimes] = []
  ) async throws -> DueDecision {
    var learned = Learned()
    if feed.adapt != .none {
      learned = try await effects.store.learned(for: [feed])
      learned.news[feed.name, default: []] += found
    }
    return hosts.nextDecision(
      feed, after: state, at: machine.now(), machine, learned: learned)
  }
}

extension RequestRecord {
  /// The record of a request that has ended, without the feed's secrets.
  init(
    _ request: Request, of feed: FeedSpec, _ outcome: Result<Response, FetchFailure>, started: Timestamp,
    milliseconds: Int64, hiding hidden: HiddenWords
  ) {
    let address = request.address
    let shown = feed.hasSecretAddress ? address.scheme + "://***" : cleanText(address.masked, limit: 2000)
    self.init(request, started: started, shownAs: hidden.masked(shown))
    self.milliseconds = milliseconds
    switch outcome {
    case .success(let response): (status, bytes) = (response.status, response.bytesReceived)
    case .failure(let failure): self.failure = failure.words(hiding: hidden)
    }
  }
}

extension FetchFailure {
  /// The text for the store, hooks and reports, with secrets masked.
  ///
  /// The text is cleaned because it may quote libcurl or the server.
  func words(hiding hidden: HiddenWords) -> String { cleanText(hidden.masked(text), limit: 500) }
}

/// The facts about a fetch under way.
struct FetchTrace: Sendable {
  let due: DueFeed
  /// The feed's state, without facts that an edit of the configuration made obsolete.
  var state: FeedState
  let started: Instant
  /// The end of the feed's time limit, in the machine's milliseconds.
  var end = Int64.max
  /// The feed's address and credentials; nil until its secrets are resolved, and for a file.
  var access: FeedAccess?
  /// The secrets that must not be stored or shown.
  var hidden = HiddenWords.none
  /// The last address that was requested.
  var address: WebAddress?
  /// The redirects that led to it.
  var route: RequestRoute?
  var response: Response?
  /// How the requests ended; nil until then.
  var result: RequestResult?
  /// The validators that could be sent.
  var validators = Validators()
  /// Identifies the request that the validators of the response belong to; nil if they cannot be used.
  var validatorKey: String?
  var requests: [RequestRecord] = []
  /// The hosts besides the feed's that it has asked, or whose pages have set a limit for the whole host.
  var otherHosts: Set<String> = []
  /// Whether no other host was reached since the feed's last attempt.
  var mayBeOffline = false
  /// Whether the response is another feed's.
  var isShared = false
  /// Whether the reading of its document or of a page had to be left.
  var wasLeft = false

  var feed: FeedSpec { due.feed }

  /// The failed attempt as evidence about the network; nil if no request was sent.
  func attempt(failed failure: FetchFailure) -> HostAttempt? {
    route.map { HostAttempt($0, failure: failure, hasFailedBefore: state.failures > 0) }
  }
}

extension FetchTrace {
  /// Whether another feed with the same request would get this response.
  ///
  /// It would get the same document or failure with any validators, but the same 304 only with the same
  /// validators.
  func mayBeShared(with feed: FeedSpec, _ state: FeedState, machine: String, at now: Instant) -> Bool {
    guard self.feed.hasSameRequest(as: feed) else { return false }
    switch result {
    case nil, .failed(.suspended): return false
    case .document, .failed: return true
    case .notModified:
      guard let fingerprint = access?.shared(with: feed).fingerprint else { return false }
      var own = validatorsToSend(
        stateUnderConfiguration(state, configuration: feed.fingerprint, request: fingerprint),
        fingerprint: fingerprint, feed: feed.name, machine: machine, at: now)
      own.since = validators.since
      return own == validators
    }
  }

  /// Shares the response with another feed's fetch.
  ///
  /// That feed keeps its own fingerprint, or the next run would take it for a feed that was never fetched.
  func share(with other: inout FetchTrace) {
    other.access = access?.shared(with: other.feed)
    other.hidden = hidden
    other.state = stateUnderConfiguration(
      other.state, configuration: other.feed.fingerprint, request: other.access?.fingerprint)
    other.address = address
    other.route = route
    other.response = response
    other.validatorKey = validatorKey
    other.isShared = true
  }
}
