// `budget`: a bare length of time, or a mapping.

import Model
import Timing

/// Reads `budget` over its defaults.
func readBudget(_ field: Field, into budget: inout Budget) {
  if field.isText {
    if let fetch = field.fetchBudget() { budget.fetch = fetch }
    return
  }
  guard let keys = Section(field, path: "budget", expecting: "a length of time, or {fetch: 3m, warning: 10s}")
  else {
    return
  }
  keys.read("fetch", into: &budget.fetch) { $0.fetchBudget() }
  keys.read("warning", into: &budget.warning) { $0.interval(atMost: .hours(1)) }
  warnOfLongWarning(keys, budget)
}

/// A warning that was asked for and does not count in full.
private func warnOfLongWarning(_ keys: Section, _ budget: Budget) {
  guard let field = keys["warning"], let fetch = budget.fetch else { return }
  let most = Interval(seconds: fetch.seconds / 5)
  if budget.warning > most {
    field.pass.warn(
      "warning \(budget.warning.text) is more than a fifth of fetch \(fetch.text); \(most.text) count",
      at: field.node.place, cure: nil)
  }
}

extension Field {
  /// A length of time, or `none` for no end.
  fileprivate func fetchBudget() -> Interval?? {
    if node.isNone { return .some(nil) }
    return interval(atLeast: .seconds(1), or: ["none"]).map { .some($0) }
  }
}
