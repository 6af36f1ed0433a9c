// What a run that stays says of itself.

import Core

/// What it does and when it does more, in a line, for example `12 feeds; next at 2026-11-22 14:05:00`.
func watchText(
  feeds: Int, isFetching: Bool, isTransferring: Bool, next: Instant?, in zone: Zone?
) -> String {
  var parts = ["watching \(counted(feeds, "feed"))"]
  if isFetching { parts.append("fetching") }
  if isTransferring { parts.append("bringing files") }
  if !isFetching {
    parts.append(next.map { "next at \(local($0, in: zone ?? .utc))" } ?? "nothing will be due by itself")
  }
  return parts.joined(separator: "; ")
}
