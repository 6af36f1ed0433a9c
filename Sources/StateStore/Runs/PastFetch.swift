// A part of the history as SQLite takes it.

import Core

extension HistoryPart {
  /// The feeds' names as SQLite takes them.
  var feedList: String? { feeds.map { JSONValue.array($0.map { .string($0.text) }).text } }
}
