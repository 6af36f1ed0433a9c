// Permanent redirects, and documents that say where their feed is now: when they replace the configured address, and when they are forgotten.

/// A change of a feed's learned address, reported once.
public enum MoveChange: Hashable, Sendable {
  /// From now on this address is requested in place of the configured one.
  case learned(String)
  /// This address is forgotten, because it failed while the configured one works.
  case forgotten(String)
}

extension FeedSpec {
  /// The first address of the next fetch: a learned one unless its last fetch failed, else the configured one; nil if that
  /// is a secret.
  public func addressToAsk(_ state: FeedState) -> WebAddress? {
    guard !state.moves.isEmpty, let move = state.learnedMove, !move.isSuspect,
      let learned = WebAddress(move.address)
    else { return address }
    return learned
  }
}

extension FeedAccess {
  /// The first address of a fetch: a learned one unless its last fetch failed, else the configured one.
  public func addressToAsk(_ state: FeedState) -> WebAddress {
    guard let move = state.learnedMove, !move.isSuspect, let learned = WebAddress(move.address),
      canLearn(learned)
    else { return address }
    return learned
  }

  /// Whether an address may replace the configured one.
  ///
  /// It may not for a secret address, whose redirects may contain the secret and would be stored; not from https to http;
  /// and not at another origin for a feed with credentials. Any configured header, cookie and body counts as
  /// credentials.
  func canLearn(_ target: WebAddress) -> Bool {
    guard !isAddressSecret, target.text.utf8.count <= 2048, !hidden.isIn(target.text) else { return false }
    if address.scheme == "https", target.scheme == "http" { return false }
    let hasCredentials =
      credentials != nil || cookies != nil || !headers.isEmpty || body != nil || address.hasUser
    return !hasCredentials || target.hasOrigin(of: address)
  }
}

extension RequestRoute {
  /// Takes the address to which a document says that its feed has moved, like the target of a permanent redirect.
  ///
  /// No document leads from a public server into a private network, or back to an address of this fetch.
  public mutating func take(newAddress: String?, _ access: FeedAccess) {
    guard isPermanent, let target = newAddress.flatMap(WebAddress.init), !target.hasUser,
      target.isPublicHost || !configured.isPublicHost, access.canLearn(target)
    else { return }
    let known = addresses.union([configured]).map(\.normalized)
    if !known.contains(target.normalized) { permanentTarget = target }
  }
}

extension FeedState {
  /// Learns from the route of a successful fetch.
  ///
  /// A permanent redirect is learned after three fetches in a row over at least a day, so that a short mistake or a hijacked
  /// name is not. Another target, or none, starts again.
  mutating func follow(_ route: RequestRoute, at now: Instant) -> MoveChange? {
    var learned = learnedMove
    var change: MoveChange?
    if let move = learned {
      if route.addresses.contains(where: { $0.text == move.address }) {
        learned?.isSuspect = false
      } else {
        // The configured address works and no longer redirects there.
        learned = nil
        change = .forgotten(move.address)
      }
    }
    var seen: Move?
    if let target = route.permanentTarget?.text, target != learned?.address {
      if let move = learned, target == route.configured.text {
        // The feed moved back to the configured address.
        moves = []
        return .forgotten(move.address)
      }
      seen = sighting(of: target, at: now)
    }
    if let move = seen, move.isLearned {
      moves = [move]
      return .learned(move.address)
    }
    moves = [learned, seen].compactMap { $0 }
    return change
  }

  /// Records the route of a failed fetch: after a failure at the learned address the configured one is next, and vice versa.
  mutating func doubt(_ route: RequestRoute) {
    guard let index = moves.firstIndex(where: \.isLearned) else { return }
    moves[index].isSuspect = starts(route, at: moves[index])
  }

  /// Whether a fetch began at the learned address.
  func startsAtLearnedAddress(_ route: RequestRoute) -> Bool {
    learnedMove.map { starts(route, at: $0) } ?? false
  }

  private func starts(_ route: RequestRoute, at move: Move) -> Bool { route.start.text == move.address }

  private func sighting(of target: String, at now: Instant) -> Move {
    // A first sighting in the future was stored under another clock.
    guard var move = seenMove, move.address == target, move.firstSeen <= now else {
      return Move(address: target, firstSeen: now)
    }
    move.sightings = min(move.sightings, Int.max - 1) + 1
    move.isLearned = move.sightings >= 3 && now.since(move.firstSeen) >= .hours(24)
    return move
  }
}
