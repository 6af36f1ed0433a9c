// When a redirect for good is believed, and when it is given up again.

/// What became of the place of a feed, told once.
public enum MoveChange: Hashable, Sendable {
  /// From now on this address is asked in place of the configured one.
  case learned(String)
  /// This address failed while the configured one works, and is forgotten.
  case forgotten(String)
}

extension FeedSpec {
  /// The address that the next fetch asks first: a learned one, unless its last fetch failed, or the configured one;
  /// nil where that is a secret.
  public func addressToAsk(_ state: FeedState) -> WebAddress? {
    guard !state.moves.isEmpty, let move = state.learnedMove, !move.isDoubted,
      let learned = WebAddress(move.address)
    else { return address }
    return learned
  }
}

extension FeedAccess {
  /// The address that a fetch asks first: a learned one, unless its last fetch failed, or the configured one.
  public func addressToAsk(_ state: FeedState) -> WebAddress {
    guard let move = state.learnedMove, !move.isDoubted, let learned = WebAddress(move.address),
      mayLearn(learned)
    else { return address }
    return learned
  }

  /// Whether an address may be asked in place of the configured one.
  ///
  /// Not for a secret address, whose redirects may hold the same secret and would be stored; not from https to http;
  /// not at another origin for a feed with credentials. Any configured header may be one, so it counts as such.
  func mayLearn(_ target: WebAddress) -> Bool {
    guard !isAddressSecret, target.text.utf8.count <= 2048, !hidden.isIn(target.text) else { return false }
    if address.scheme == "https", target.scheme == "http" { return false }
    let hasCredentials = credentials != nil || !headers.isEmpty || address.hasUser
    return !hasCredentials || target.origin == address.origin
  }
}

extension FeedState {
  /// Takes in the way to a readable feed or a 304, which proves that it is the known one.
  ///
  /// A redirect for good is learned when three fetches in a row saw it, over a day or more: a mistake of an evening,
  /// or a hijacked name, is not. Another target, or none, starts anew.
  ///
  /// - Parameters:
  ///   - route: the way.
  ///   - now: the start of the run.
  /// - Returns: what is now to be said.
  mutating func follow(_ route: RequestRoute, at now: Instant) -> MoveChange? {
    var learned = learnedMove
    var change: MoveChange?
    if let move = learned {
      if route.addresses.contains(where: { $0.text == move.address }) {
        learned?.isDoubted = false
      } else {
        // The configured address works, and does not lead there any more.
        learned = nil
        change = .forgotten(move.address)
      }
    }
    var seen: Move?
    if let target = route.permanentTarget?.text, target != learned?.address {
      if let move = learned, target == route.configured.text {
        // It moved back to what the user wrote.
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

  /// Takes in the way to a failure: after one at the learned address the configured one is asked, and after one
  /// there the learned one again.
  mutating func doubt(_ route: RequestRoute) {
    guard let index = moves.firstIndex(where: \.isLearned) else { return }
    moves[index].isDoubted = starts(route, at: moves[index])
  }

  /// Whether a fetch asked the learned address first.
  func startsAtLearnedAddress(_ route: RequestRoute) -> Bool {
    learnedMove.map { starts(route, at: $0) } ?? false
  }

  private func starts(_ route: RequestRoute, at move: Move) -> Bool { route.start.text == move.address }

  private func sighting(of target: String, at now: Instant) -> Move {
    // A first sighting that lies in the future was stored under another clock.
    guard var move = seenMove, move.address == target, move.firstSeen <= now else {
      return Move(address: target, firstSeen: now)
    }
    move.sightings = min(move.sightings, Int.max - 1) + 1
    move.isLearned = move.sightings >= 3 && now.since(move.firstSeen) >= .hours(24)
    return move
  }
}
