// The columns of feeds, moves and hosts.

import Core

extension FeedState: Record {
  static let blank = FeedState()
  static let columns = ColumnList(Self.self)

  mutating func visit<Visitor: ColumnVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.column("request_fingerprint", &requestFingerprint)
    try visitor.column("configuration_fingerprint", &configurationFingerprint)
    try visitor.column("validator_address", &validators.address)
    try visitor.column("entity_tag", &validators.entityTag)
    try visitor.column("last_modified", &validators.lastModified)
    try visitor.column("validators_since", &validators.since)
    try visitor.column("last_asked", &lastAsked)
    try visitor.column("last_counted", &lastCounted)
    try visitor.column("last_success", &lastSuccess)
    try visitor.column("waits_since", &waitsSince)
    try visitor.column("last_result", &lastResult)
    try visitor.column("last_reason", &lastReason)
    var (notBefore, source) = (freshness?.notBefore, freshness?.source)
    try visitor.column("fresh_until", &notBefore)
    try visitor.column("fresh_source", &source)
    freshness = notBefore.map { ServerFreshness(notBefore: $0, source: source ?? "") }
    try visitor.column("hint_time_to_live", &hints.timeToLive)
    try visitor.column("hint_skip_hours", &hints.skipHours)
    try visitor.column("hint_skip_days", &hints.skipDays)
    try visitor.column("hint_update_interval", &hints.updateInterval)
    var (until, count, status) = (rateLimit?.until, rateLimit?.withoutRetryAfter, rateLimit?.status)
    try visitor.column("limited_until", &until)
    try visitor.column("limited_without_retry_after", &count)
    try visitor.column("limited_status", &status)
    rateLimit = until.map { RateLimit(until: $0, withoutRetryAfter: count ?? 0, status: status ?? 0) }
    try visitor.column("failures", &failures)
    try visitor.column("backoff_class", &backoffClass)
    try visitor.column("backoff_failures", &backoffFailures)
    try visitor.column("gone_since", &goneSince)
    try visitor.column("is_gone", &isGone)
    try visitor.column("failing_announced", &failingAnnounced)
    try visitor.column("has_baseline", &hasBaseline)
    try visitor.column("crashes", &crashes)
    try visitor.column("title", &title)
    try visitor.column("link", &link)
    try visitor.column("ignores_guids", &identity.ignoresGuids)
    try visitor.column("contrary_documents", &identity.contraryDocuments)
    try visitor.column("repeated_identity", &identity.repeated)
    try visitor.column("document_items", &identity.documentItems)
    try visitor.column("replaced_at", &identity.replacedAt)
    try visitor.column("is_rebuilt", &identity.isRebuilt)
    try visitor.column("quiet_items", &identity.quietItems)
    try visitor.column("records_assets", &recordsAssets)
    try visitor.column("postponed_edit_due", &postponedEditDue)
    try visitor.column("inner_address", &innerAddress)
    try visitor.column("page_hour", &pageHour)
    try visitor.column("pages_in_hour", &pagesInHour)
    try visitor.column("pages_not_before", &pagesNotBefore)
  }
}

extension Move: Record {
  static let blank = Move(address: "", firstSeen: Instant(secondsSince1970: 0))
  static let columns = ColumnList(Self.self)

  mutating func visit<Visitor: ColumnVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.column("address", &address)
    try visitor.column("sightings", &sightings)
    try visitor.column("first_seen", &firstSeen)
    try visitor.column("is_learned", &isLearned)
    try visitor.column("is_doubted", &isSuspect)
  }
}

extension HostState: Record {
  static let blank = HostState()
  static let columns = ColumnList(Self.self)

  mutating func visit<Visitor: ColumnVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.column("last_request", &lastRequest)
    try visitor.column("limited_until", &limitedUntil)
    try visitor.column("limited_by", &limitedBy)
  }
}
