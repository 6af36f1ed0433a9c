// What `bgfetch pause` and `unpause` say.

import Core

/// A pause in words: `paused until 2026-12-24T08:00:00+01:00`.
func pauseText(_ pause: Pause, in zone: Zone) -> String {
  pause.until.map { "paused until " + $0.rfc3339(in: zone) } ?? "paused"
}

/// What became of a feed's pause, as JSON; nil is no pause.
func pauseJSON(_ feed: FeedName, _ pause: Pause?, hasChanged: Bool) -> JSONValue {
  .object([
    ("type", .string("pause")), ("feed", .string(feed.text)), ("paused", .bool(pause != nil)),
    ("until", .text(pause?.until?.rfc3339)), ("changed", .bool(hasChanged)),
  ])
}
