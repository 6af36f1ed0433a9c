// `budget`: a bare length of time, or a mapping.

import Core

/// Reads `budget` over its defaults.
func readBudget(_ field: Field, into budget: inout Budget) {
  if field.isText {
    if let fetch = field.phase() { budget.fetch = fetch }
    return
  }
  guard
    let keys = Section(
      field, path: "budget", expecting: "a length of time, or {fetch: 3m, transfers: none, warning: 10s}")
  else {
    return
  }
  keys.read("fetch", into: &budget.fetch) { $0.phase() }
  keys.read("transfers", into: &budget.transfers) { $0.phase() }
  keys.read("warning", into: &budget.warning) { $0.interval(atMost: .hours(1)) }
  warnOfLongWarning(keys, budget)
}

/// Warns if the warning is longer than it can be.
private func warnOfLongWarning(_ keys: Section, _ budget: Budget) {
  guard let field = keys["warning"] else { return }
  for (name, phase) in [("fetch", budget.fetch), ("transfers", budget.transfers)] {
    guard let phase, case let most = Interval(seconds: phase.seconds / 5), budget.warning > most else {
      continue
    }
    field.pass.warn(
      "warning \(budget.warning.text) is more than a fifth of \(name) \(phase.text), of which \(most.text) count",
      at: field.node.place, cure: nil)
  }
}

extension Field {
  /// A length of time, or `none` for no end.
  fileprivate func phase() -> Interval?? {
    if node.isNone { return .some(nil) }
    return interval(atLeast: .seconds(1), or: ["none"]).map { .some($0) }
  }
}
