// The requests of one fetch, up to the answer that counts.

import Core

/// How the requests of one fetch ended.
enum Exchange: Sendable {
  /// With a document to read.
  case document(Response)
  /// With 304.
  case notModified(Response)
  /// Without one.
  case failed(FetchFailure)

  /// Whether the run ended first.
  var isSuspended: Bool {
    if case .failed(.suspended) = self { true } else { false }
  }
}

extension FeedRun {
  /// Resolves the feed's secrets, asks, and follows redirects, one request a hop.
  func exchange(_ feed: FeedSpec, _ trace: inout FetchTrace) async -> Exchange {
    let access: FeedAccess
    switch await effects.network.access(feed) {
    case .success(let resolved): access = resolved
    case .failure(let failure): return .failed(failure)
    }
    trace.access = access
    trace.hidden = access.hidden
    let fingerprint = access.fingerprint
    trace.state = stateUnderConfiguration(
      trace.state, configuration: feed.fingerprint, request: fingerprint)
    let validators = validatorsToSend(
      trace.state, fingerprint: fingerprint, feed: feed.name, machine: effects.machine.identity,
      at: origin.time)
    trace.validators = validators
    var chain = RequestChain(
      access, validators: validators, network: feed.network, userAgent: effects.network.userAgent,
      startingAt: access.addressToAsk(trace.state), connected: trace.state.innerAddress)
    let limit = feed.network.timeout
    // Secrets have a limit of their own.
    trace.end = effects.machine.milliseconds() + limit.seconds * 1000
    while true {
      // The limit is for the whole fetch, redirects included; libcurl knows only of one request.
      let left = trace.end - effects.machine.milliseconds()
      guard left > 0 else { return .failed(.timeout(limit)) }
      var request = chain.request
      request.network.timeout = .seconds((left + 999) / 1000)
      trace.address = chain.request.address
      trace.route = chain.route
      trace.validatorKey = chain.validatorKey
      let response: Response
      switch await send(request, &trace) {
      case .success(let answer): response = answer.hiding(trace.hidden)
      case .failure(.timeout): return .failed(.timeout(limit))
      case .failure(let failure): return .failed(failure)
      }
      trace.response = response
      switch chain.take(response) {
      case .again:
        // What a host is spaced for is not the feed's time.
        let waited = await waitForTurn(
          of: chain.request.address, after: request.address, feed.network.delayPerHost)
        trace.end += waited
        continue
      case .failed(let failure): return .failed(failure)
      case .answered: break
      }
      trace.route = chain.route
      switch answer(response, isConditional: chain.isConditional, at: origin.time) {
      case .document: return .document(response)
      case .notModified: return .notModified(response)
      case .failed(let failure): return .failed(failure)
      }
    }
  }

  /// Waits until the host that a redirect leads to may be asked, and says how many milliseconds that took.
  ///
  /// A redirect to the same host is part of one and the same request to it.
  private func waitForTurn(of address: WebAddress, after last: WebAddress, _ delay: Interval) async -> Int64 {
    guard address.host != last.host else { return 0 }
    let now = effects.machine.milliseconds()
    let moment = hosts.bookHop(to: address, delay: delay, at: now)
    guard moment > now else { return 0 }
    await effects.machine.sleep(moment)
    return effects.machine.milliseconds() - now
  }
}
