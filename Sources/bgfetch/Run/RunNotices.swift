// The words of a run's notices, and their JSON.

import Core
import Running

extension RunNotice {
  /// The line, for those who see it.
  var line: RunLine {
    switch self {
    case .started(let due, let paused):
      RunLine("\(due) due" + (paused > 0 ? ", \(paused) paused" : ""), from: .verbose)
    case .offline(let feeds, nil):
      RunLine(
        "offline: \(counted(feeds, "feed was", plural: "feeds were")) not reached; the next run tries again",
        .warning)
    case .offline(let feeds, let portal?):
      RunLine(
        "offline: \(cleanText(portal, limit: 500)) answers in place of \(counted(feeds, "feed")); log in to the network with a browser",
        .warning)
    case .renamed(let rename, let items):
      RunLine(keptText(rename.name, was: rename.former.text, items: items))
    case .readdressed(let feed, let former, let items):
      RunLine(keptText(feed, was: "at " + addressText(former), items: items))
    case .left(let feeds, 0): RunLine(leftText(feeds, unseen: 0))
    case .left(let feeds, let unseen): RunLine(leftText(feeds, unseen: unseen), .warning, from: .quiet)
    case .moved(let feed, let move): RunLine(moveText(feed, move))
    case .expired(let left): RunLine(budgetText(left, "feed"))
    case .transfersExpired(let left): RunLine(budgetText(left, "transfer"))
    case .waitingForMessage(let length):
      RunLine("waiting \(length.rounded) for a postponed notification", from: .terminal)
    case .waitingForLateData(let length):
      RunLine("nothing new yet; trying the push once more in \(length.rounded)", from: .terminal)
    case .deliveryFailed(let hook, let event, let reason, let next, let zone):
      RunLine(
        "hook \(hook): \(event.rawValue): \(reason); next attempt from \(time(next, "%H:%M", in: zone)) on",
        .warning, from: .terminal)
    case .deliveryLost(let hook, let event, let reason):
      lostLine(hook, "\(event.rawValue): \(reason)")
    case .deliveriesExpired(let hook, let count, let age):
      lostLine(hook, "\(counted(count, "event")) older than \(age.text)")
    case .transferRemoved(let feed, let file):
      RunLine("\(feed)  removed \(placeText(file)), because of keep", from: .verbose)
    case .lowSpace(let directory, let free, let least):
      RunLine(
        "\(shownPath(directory)): \(free.text) free, less than free-space \(least.text), so nothing is downloaded there; free some space",
        .warning, from: .quiet)
    case .directoryGone(let directory):
      RunLine(
        "\(shownPath(directory)): the directory that held downloads is gone or was replaced; \(cureOfGoneDirectory(directory))",
        .warning, from: .quiet)
    case .directoryUnusable(_, let reason):
      RunLine(
        "\(cleanText(reason, limit: 5000)), so transfers to it are suspended", .error, from: .quiet)
    }
  }

  /// The object in JSON, if it has such an event.
  var json: JSONValue? {
    switch self {
    case .started, .waitingForMessage, .waitingForLateData: nil
    case .offline(let feeds, let portal):
      JSONValue(["type": "offline", "feeds": feeds, "portal": portal])
    case .renamed(let rename, let items):
      JSONValue(["type": "renamed", "feed": rename.name, "former": rename.former, "items": items])
    case .readdressed(let feed, let former, let items):
      JSONValue(["type": "readdressed", "feed": feed, "former": addressText(former), "items": items])
    case .left(let feeds, _): JSONValue(["type": "left", "feeds": feeds.map(\.text)])
    case .moved(let feed, let move): moveJSON(feed, move)
    case .expired(let left): JSONValue(["type": "expired", "left": left])
    case .transfersExpired(let left): JSONValue(["type": "transfers-expired", "left": left])
    case .deliveryFailed(let hook, let event, let reason, let next, _):
      JSONValue([
        "type": "delivery-failed", "hook": hook, "event": event.rawValue, "reason": reason,
        "next-attempt": next,
      ])
    case .deliveryLost(let hook, let event, let reason):
      JSONValue(["type": "delivery-lost", "hook": hook, "event": event.rawValue, "reason": reason])
    case .deliveriesExpired(let hook, let count, _):
      JSONValue(["type": "deliveries-expired", "hook": hook, "count": count])
    case .transferRemoved(let feed, let file):
      JSONValue(["type": "transfer-removed", "feed": feed]).adding(fileFields(file))
    case .lowSpace(let directory, let free, let least):
      JSONValue(["type": "free-space", "directory": directory, "free": free.bytes, "least": least.bytes])
    case .directoryGone(let directory): JSONValue(["type": "directory-gone", "directory": directory])
    case .directoryUnusable(let directory, let reason):
      JSONValue(["type": "directory-unusable", "directory": directory, "reason": reason])
    }
  }
}

private func budgetText(_ left: Int, _ what: String) -> String {
  "the budget ends: \(counted(left, what)) left for a later run"
}

private func lostLine(_ hook: String, _ what: String) -> RunLine {
  RunLine("hook \(hook): giving up on \(what); see bgfetch hooks list", .error, from: .quiet)
}
