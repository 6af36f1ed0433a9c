// A feed's state as columns of its row, in one order for reading and writing.

import Core

/// The columns of `feed` that hold a `FeedState`, and how they map to it.
enum FeedRow {
  /// The columns in the order in which `read` and `write` take them.
  static let columns = """
    request_fingerprint, configuration_fingerprint, validator_address, entity_tag, last_modified, \
    validators_since, last_asked, last_counted, last_success, last_result, last_reason, wish_not_before, \
    wish_source, hint_time_to_live, hint_skip_hours, hint_skip_days, hint_update_interval, limited_until, \
    limited_unnamed, limited_status, failures, backoff_class, backoff_failures, gone_since, is_gone, failing_announced, \
    has_baseline, crashes, title, link, \
    ignores_guids, contrary_documents, repeated_identity, document_items, replaced_at, is_rebuilt, \
    quiet_items, notes_assets, held_edit_due, inner_address
    """

  /// `columns`, and those that commits do not write, in the order in which `read` takes them.
  static let readColumns = columns + ", is_paused, paused_until"

  private static let update = {
    let values = columns.split(separator: ",").map { _ in "?" }.joined(separator: ", ")
    return "UPDATE feed SET (\(columns), next_due) = (\(values), ?) WHERE number = ?"
  }()

  /// Reads a state from a row that stands on the first of `readColumns`.
  static func read(_ row: inout Row) throws(StoreFailure) -> FeedState {
    var state = FeedState()
    state.requestFingerprint = try row.next()
    state.configurationFingerprint = try row.next()
    state.validators.address = try row.next()
    state.validators.entityTag = try row.next()
    state.validators.lastModified = try row.next()
    state.validators.since = try row.next()
    state.lastAsked = try row.next()
    state.lastCounted = try row.next()
    state.lastSuccess = try row.next()
    state.lastResult = try row.next()
    state.lastReason = try row.next()
    if let notBefore = try row.next(Instant?.self) {
      state.wish = ServerWish(notBefore: notBefore, source: try row.next(String?.self) ?? "")
    } else {
      _ = try row.next(String?.self)
    }
    state.hints.timeToLive = try row.next()
    state.hints.skipHours = numbers(in: try row.next())
    state.hints.skipDays = numbers(in: try row.next())
    state.hints.updateInterval = try row.next()
    let limit: (until: Instant?, unnamed: Int?, status: Int?) = (
      try row.next(), try row.next(), try row.next()
    )
    state.rateLimit = limit.until.map {
      RateLimit(until: $0, unnamed: limit.unnamed ?? 0, status: limit.status ?? 0)
    }
    state.failures = try row.next()
    state.backoffClass = try row.next()
    state.backoffFailures = try row.next()
    state.goneSince = try row.next()
    state.isGone = try row.next()
    state.failingAnnounced = try row.next()
    state.hasBaseline = try row.next()
    state.crashes = try row.next()
    state.title = try row.next()
    state.link = try row.next()
    state.identity.ignoresGuids = try row.next()
    state.identity.contraryDocuments = try row.next()
    state.identity.repeated = try row.next()
    state.identity.documentItems = try row.next()
    state.identity.replacedAt = try row.next()
    state.identity.isRebuilt = try row.next()
    state.identity.quietItems = try row.next()
    state.notesAssets = try row.next()
    state.heldEditDue = try row.next()
    state.innerAddress = try row.next()
    let pause: (isOn: Bool, until: Instant?) = (try row.next(), try row.next())
    state.pause = pause.isOn ? Pause(until: pause.until) : nil
    return state
  }

  /// Writes a state, and when the feed is next due, to the row of a number.
  static func write(
    _ state: FeedState, nextDue: Instant?, to number: Int64, in database: borrowing Database
  ) throws(StoreFailure) {
    try database.run(
      update,
      state.requestFingerprint, state.configurationFingerprint, state.validators.address,
      state.validators.entityTag, state.validators.lastModified, state.validators.since,
      state.lastAsked, state.lastCounted, state.lastSuccess, state.lastResult, state.lastReason,
      state.wish?.notBefore, state.wish?.source,
      state.hints.timeToLive, bits(of: state.hints.skipHours), bits(of: state.hints.skipDays),
      state.hints.updateInterval,
      state.rateLimit?.until, state.rateLimit?.unnamed, state.rateLimit?.status,
      state.failures, state.backoffClass, state.backoffFailures, state.goneSince, state.isGone,
      state.failingAnnounced, state.hasBaseline, state.crashes, state.title, state.link,
      state.identity.ignoresGuids, state.identity.contraryDocuments, state.identity.repeated,
      state.identity.documentItems, state.identity.replacedAt, state.identity.isRebuilt,
      state.identity.quietItems, state.notesAssets, state.heldEditDue, state.innerAddress, nextDue, number)
  }

  /// A set of small numbers as the bits of one; numbers that are no hour or day are dropped.
  private static func bits(of numbers: Set<Int>) -> Int64 {
    numbers.reduce(0) { bits, number in (0..<63).contains(number) ? bits | 1 << Int64(number) : bits }
  }

  private static func numbers(in bits: Int64) -> Set<Int> {
    bits == 0 ? [] : Set((0..<63).filter { bits & 1 << Int64($0) != 0 })
  }
}
