// The log of requests: what is noted of each while a fetch goes on, so that politeness can be proved afterwards.

import Core

extension FeedRun {
  /// Sends a request and notes it, whatever comes of it.
  func send(_ request: Request, _ trace: inout FetchTrace) async -> Result<Response, FetchFailure> {
    let machine = effects.machine
    let began = machine.milliseconds()
    trace.sent[request.address.host] = began
    var record = RequestRecord(
      request, started: machine.timestamp(), shownAs: trace.hidden.masked(trace.feed.shown(request.address)))
    let outcome = await effects.network.fetch(request)
    record.milliseconds = machine.milliseconds() - began
    switch outcome {
    case .success(let response):
      record.status = response.status
      record.bytes = response.bytesReceived
    case .failure(let failure): record.failure = words(for: failure, trace)
    }
    trace.requests.append(record)
    return outcome
  }

  /// A failure in words, for store, hooks and reports: cleaned, as what libcurl and servers say is data like
  /// everything else from outside, and without the host where the address is a secret.
  func words(for failure: FetchFailure, _ trace: FetchTrace) -> String {
    let text = trace.feed.hasSecretAddress ? failure.text(hiding: trace.address?.host ?? "") : failure.text
    return cleanText(trace.hidden.masked(text), limit: 500)
  }

  /// Leaves a fetch that was suspended: nothing counts, and only the history knows of it.
  func suspend(_ trace: FetchTrace) async throws {
    var record = FetchRecord(
      started: trace.started, ended: effects.machine.now(), result: .failed, reason: FetchRecord.suspended,
      requests: trace.requests)
    record.isCounted = false
    try await effects.store.suspend(
      record, trace.feed.name, run, nextDue(trace.feed, after: trace.state))
  }

  /// When the rules allow the feed's next fetch.
  func nextDue(_ feed: FeedSpec, after state: FeedState) -> Instant? {
    // Of all hosts only the feed's own matters; looking through all of them for each feed would cost too much.
    var known: [String: HostState] = [:]
    if let own = feed.addressToAsk(state)?.host { known[own] = hosts.state(of: own) }
    return Core.nextDue(
      feed, state,
      PlanningContext(
        now: effects.machine.now(), zone: effects.machine.zone, machine: effects.machine.identity,
        hosts: known, habits: habits))
  }
}

extension FeedSpec {
  /// An address as the history keeps it: masked, and hidden where the feed's own is a secret.
  func shown(_ address: WebAddress) -> String {
    hasSecretAddress ? address.scheme + "://***" : cleanText(address.masked, limit: 2000)
  }
}
