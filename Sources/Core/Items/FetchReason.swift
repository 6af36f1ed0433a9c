// The reason of a fetch result that is no failure, in words.

/// The reason of a fetch whose document was read, for example `3 new` or `nothing new`.
public func reason(of found: Classification) -> String {
  let new = found.announcedItems.count
  let updated = found.updatedItems.count
  let pruned = found.newItems.count { $0.isPruned }
  let baseline = found.newItems.count { !$0.isFiltered } - new
  var parts: [String] = []
  if new > 0 { parts.append("\(new) new") }
  if updated > 0 { parts.append("\(updated) updated") }
  if found.isBaseline, baseline > 0 { parts.append("\(baseline) stored as seen by the first run") }
  if let quiet = found.quietItems, quiet > 0 { parts.append("\(quiet) old ones under new identities") }
  if pruned > 0, !found.isBaseline { parts.append("\(pruned) more than are listed") }
  if parts.isEmpty { parts.append("nothing new") }
  if let count = found.identity.itemsOfCutDocument {
    parts.append("only the first \(ParsedFeed.maximumItems) of \(count) items are read")
  }
  if found.renewsGuids { parts.append("guids are renewed, links decide") }
  return parts.joined(separator: ", ")
}

/// The reason of a fetch that ended with 304.
public let notModifiedReason = "not modified"
