// Past runs, listed, the oldest first.

import Core
import StateStore

/// A run, and how it ended as far as that is known.
struct PastRun {
  /// The run.
  let record: RunRecord
  /// How it ended: `complete`, `budget`, `signal` or `crash`; nil while it is under way.
  let ending: String?

  /// A run; a phase of it without an end is under way only if its process has the lock of that phase.
  init(_ record: RunRecord, holder: Int32?, transferHolder: Int32?) {
    self.record = record
    if let totals = record.totals {
      let isDead = record.isInTransfers && record.process != transferHolder
      ending = record.isInTransfers ? isDead ? "crash" : nil : totals.ending.rawValue
    } else {
      ending = record.wasCut || record.process != holder ? "crash" : nil
    }
  }

  /// The exit status; nil where there is none, or a signal decided it.
  var exitStatus: Int32? {
    record.isInTransfers ? nil : record.totals.flatMap { $0.ending == .signal ? nil : $0.exitStatus }
  }

  /// What its transfer phase came to; nil where that is not known.
  fileprivate var transferTotals: RunTotals? { record.isInTransfers ? nil : record.totals }

  /// The run as JSON.
  var json: JSONValue {
    func number(_ key: KeyPath<RunTotals, Int>, of totals: RunTotals?) -> JSONValue {
      totals.map { .number(Int64($0[keyPath: key])) } ?? .null
    }
    func number(_ key: KeyPath<RunTotals, Int>) -> JSONValue { number(key, of: record.totals) }
    func brought(_ key: KeyPath<RunTotals, Int>) -> JSONValue { number(key, of: transferTotals) }
    return .object([
      ("type", .string("run")), ("run", .number(record.number)), ("cause", .string(record.cause.rawValue)),
      ("named", .bool(record.wasNamed)), ("forced", .bool(record.wasForced)),
      ("started", .string(record.started.rfc3339)), ("ended", .text(record.ended?.rfc3339)),
      ("due", number(\.due)), ("new-data", number(\.newData)), ("no-data", number(\.noData)),
      ("failed", number(\.failed)), ("items", number(\.items)), ("left", number(\.left)),
      ("transfers", brought(\.transfers)), ("resumed", brought(\.resumed)),
      ("failed-transfers", brought(\.failedTransfers)),
      ("unsettled-transfers", brought(\.unsettledTransfers)),
      ("transfers-ended", .text(record.transfersEnded?.rfc3339)),
      ("ending", .text(ending)),
      ("exit-status", exitStatus.map { .number(Int64($0)) } ?? .null),
    ])
  }
}

/// Runs as a table: when and why they began, what they came to, how long fetching took and how they ended.
func pastRunLines(_ runs: [PastRun], in zone: Zone, on page: Page) -> [ReportLine] {
  guard !runs.isEmpty else { return [] }
  let rows = runs.map { run in
    let totals = run.record.totals
    func number(_ key: KeyPath<RunTotals, Int>) -> String { totals.map { String($0[keyPath: key]) } ?? "" }
    return [
      local(run.record.started, in: zone), causeText(run.record), number(\.due), number(\.newData),
      number(\.noData), number(\.failed), number(\.items), number(\.left),
      run.transferTotals.map { String($0.transfers) } ?? "",
      run.record.ended.map { $0.since(run.record.started).text } ?? "", endingText(run),
    ]
  }
  let head = [
    "BEGAN", "CAUSE", "DUE", "NEW-DATA", "NO-DATA", "FAILED", "ITEMS", "LEFT", "FILES", "TOOK", "EXIT STATUS",
  ]
  let isProblem = runs.map { $0.ending == "crash" || ($0.exitStatus ?? 0) != 0 }
  return zip(table([head] + rows, hasHead: true, on: page), [false] + isProblem).map {
    ReportLine(text: $0, isProblem: $1)
  }
}

private func causeText(_ run: RunRecord) -> String {
  let how = run.wasForced ? " (forced)" : run.wasNamed ? " (named)" : ""
  return run.cause.rawValue + how
}

private func endingText(_ run: PastRun) -> String {
  switch (run.ending, run.exitStatus) {
  case (nil, _): "under way, process \(run.record.process)"
  case ("complete", let status?): String(status)
  case (let ending?, let status?): "\(status), \(ending)"
  case (let ending?, nil): ending
  }
}
