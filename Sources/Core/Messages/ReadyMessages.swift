// Which messages wait for the files of their items.

/// The events of a fetch, its messages waiting for those of their items' assets that are queued with them.
public func awaitingFiles(
  _ records: [EventRecord], _ assets: AssetFindings, by notify: NotifySpec?, at now: Instant
) -> [EventRecord] {
  guard notify?.readiness == .ready, !assets.wanted.isEmpty else { return records }
  var places: Set<Int> = []
  var numbers: Set<Int64> = []
  for found in assets.wanted {
    switch found.item {
    case .new(let place): places.insert(place)
    case .known(let number): numbers.insert(number)
    }
  }
  return records.map { record in
    guard record.event.kind == .notification,
      record.newItems.contains(where: places.contains) || record.knownItems.contains(where: numbers.contains)
    else { return record }
    var waiting = record
    waiting.readyBy = now + NotificationMoment.longestWait
    return waiting
  }
}

/// The fields of a message that waited for files, not all of which are there: its body says how many, behind several lines
/// on one of their own.
public func withFiles(_ fields: [EventField], placed: Int, of all: Int) -> [EventField] {
  guard placed < all else { return fields }
  return fields.map { field in
    guard field.name == "body" else { return field }
    let files = "(\(filesText(placed, of: all)))"
    let body = field.value.text
    return EventField("body", body.isEmpty ? files : body + (body.contains("\n") ? "\n" : " ") + files)
  }
}
