// The notices of a run: events that only their reader acts on, each with its line and its JSON.

import Core

/// An event that only its reader acts on.
struct RunNotice: Hashable, Sendable {
  let line: RunLine
  /// Nil if JSON has no such event.
  let json: JSONValue?
}

extension RunEvent {
  private static func message(
    _ text: String, _ priority: Console.Priority = .information, from audience: RunAudience = .journal,
    json members: JSONMembers? = nil
  ) -> RunEvent {
    .notice(RunNotice(line: RunLine(text, priority, from: audience), json: members.map { JSONValue($0) }))
  }

  /// A round with something to do began.
  static func started(due: Int, paused: Int) -> RunEvent {
    message("\(due) due" + (paused > 0 ? ", \(paused) paused" : ""), from: .verbose)
  }

  /// The machine is offline or behind a captive portal, so that this many feeds were not reached.
  static func offline(feeds: Int, portal: String?) -> RunEvent {
    let text =
      if let portal {
        "offline: \(cleanText(portal, limit: 500)) answers in place of \(counted(feeds, "feed")); log in to the network with a browser"
      } else {
        "offline: \(counted(feeds, "feed was", plural: "feeds were")) not reached; the next run tries again"
      }
    return message(text, .warning, json: ["type": "offline", "feeds": feeds, "portal": portal])
  }

  /// A feed that was renamed in the configuration keeps its items, listed ones of this number.
  static func renamed(_ rename: FeedRename, items: Int) -> RunEvent {
    message(
      keptText(rename.name, was: rename.former.text, items: items),
      json: ["type": "renamed", "feed": rename.name, "former": rename.former, "items": items])
  }

  /// A feed that got another address in the configuration keeps its items.
  static func readdressed(_ feed: FeedName, former: String, items: Int) -> RunEvent {
    message(
      keptText(feed, was: "at " + addressText(former), items: items),
      json: ["type": "readdressed", "feed": feed, "former": addressText(former), "items": items])
  }

  /// Feeds with items left the configuration, while others came; so many unseen ones no longer count in the badge.
  static func left(_ feeds: [FeedName], unseen: Int) -> RunEvent {
    message(
      leftText(feeds, unseen: unseen), unseen > 0 ? .warning : .information,
      from: unseen > 0 ? .quiet : .journal, json: ["type": "left", "feeds": feeds.map(\.text)])
  }

  /// A permanent redirect was stored, or forgotten.
  static func moved(_ feed: FeedName, _ move: MoveChange) -> RunEvent {
    .notice(RunNotice(line: RunLine(moveText(feed, move)), json: moveJSON(feed, move)))
  }

  /// The budget is nearly used up; this many feeds are left for a later run.
  static func expired(left: Int) -> RunEvent { budgetEnds(left, "feed", "expired") }

  /// The budget of the downloads is nearly used up; this many transfers are left.
  static func transfersExpired(left: Int) -> RunEvent { budgetEnds(left, "transfer", "transfers-expired") }

  private static func budgetEnds(_ left: Int, _ what: String, _ type: String) -> RunEvent {
    message(
      "the budget ends: \(counted(left, what)) left for a later run", json: ["type": type, "left": left])
  }

  /// The run waits for a message that is due in a moment; everything else is done.
  static func waitingForMessage(_ length: Interval) -> RunEvent {
    message("waiting \(length.rounded) for a postponed notification", from: .terminal)
  }

  /// The run waits for the data of a push that came too early; everything else is done.
  static func waitingForLateData(_ length: Interval) -> RunEvent {
    message("nothing new yet; trying the push once more in \(length.rounded)", from: .terminal)
  }

  /// A delivery failed, and is tried again.
  static func deliveryFailed(
    hook: String, event: EventKind, reason: String, nextAttempt: Instant, in zone: Zone
  ) -> RunEvent {
    message(
      "hook \(hook): \(event.rawValue): \(reason); next attempt from \(time(nextAttempt, "%H:%M", in: zone)) on",
      .warning, from: .terminal,
      json: [
        "type": "delivery-failed", "hook": hook, "event": event.rawValue, "reason": reason,
        "next-attempt": nextAttempt,
      ])
  }

  /// A delivery used up its retries.
  static func deliveryLost(hook: String, event: EventKind, reason: String) -> RunEvent {
    message(
      "hook \(hook): giving up on \(event.rawValue): \(reason); see bgfetch hooks list", .error,
      from: .quiet,
      json: ["type": "delivery-lost", "hook": hook, "event": event.rawValue, "reason": reason])
  }

  /// Deliveries of a hook expired (the hook's key `expires`).
  static func deliveriesExpired(hook: String, count: Int, age: Interval) -> RunEvent {
    let what = "\(counted(count, "event")) older than \(age.text)"
    return message(
      "hook \(hook): giving up on \(what); see bgfetch hooks list", .error, from: .quiet,
      json: ["type": "deliveries-expired", "hook": hook, "count": count])
  }

  /// `keep` removed a file.
  static func transferRemoved(_ feed: FeedName, _ file: PlacedFile) -> RunEvent {
    message(
      "\(feed)  removed \(placeText(file)), because of keep", from: .verbose,
      json: [
        "type": "transfer-removed", "feed": feed, "path": file.path, "size": file.size,
        "sha256": file.sha256,
      ])
  }

  /// A documents directory is low on space or gone; transfers to it are suspended.
  static func directory(_ warning: DirectoryWarning) -> RunEvent {
    .notice(RunNotice(line: RunLine(warning.text, .warning, from: .quiet), json: warning.json))
  }

  /// A documents directory cannot be written, with the reason in words.
  static func directoryUnusable(path: String, reason: String) -> RunEvent {
    message(
      "\(cleanText(reason, limit: 5000)), so transfers to it are suspended", .error, from: .quiet,
      json: ["type": "directory-unusable", "directory": path, "reason": reason])
  }
}
