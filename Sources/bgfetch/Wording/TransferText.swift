// What a run says of transfers as they go: which events become lines, for whom, and how they are worded.

import Core
import Sync

extension Console {
  /// Tells what happened to transfers: by bars, by a line where the audience is told, by JSON where that is wanted.
  func tell(_ event: TransferEvent, to audience: RunAudience) {
    progress.note(event)
    if let line = transferLine(event, for: audience) { say(line.text, line.priority) }
    if isJSON { for json in transferJSON(event) { print(json) } }
  }
}

/// The line that tells an audience of a transfer, with its priority; nil where it is not told.
func transferLine(
  _ event: TransferEvent, for audience: RunAudience
) -> (text: String, priority: Console.Priority)? {
  switch event {
  case .progress: return nil
  case .began(let line, _, let reason?):
    guard audience != .quiet else { return nil }
    return (named(line) + "started over: " + cleanText(reason, limit: 500), .information)
  case .began(let line, let offset, nil):
    guard audience == .verbose else { return nil }
    return (named(line) + (offset > 0 ? "resumed at \(ByteCount(offset).text)" : "begun"), .information)
  case .placed(let line, let file):
    guard audience == .terminal || audience == .verbose else { return nil }
    return (named(line) + "\(shownPath(file.path)) (\(ByteCount(file.size).text))", .news)
  case .unchanged(let line):
    return audience == .verbose ? (named(line) + "unchanged", .information) : nil
  case .failed(let line, let reason):
    return (named(line) + "failed, \(cleanText(reason, limit: 500)); \(retryCure(line.number))", .error)
  case .left(let line, let status, let reason):
    guard audience == .verbose || audience == .terminal && status == .suspended else { return nil }
    return (named(line) + "\(status.rawValue), \(cleanText(reason, limit: 500))", .information)
  case .removed(let feed, let file):
    guard audience == .verbose else { return nil }
    return ("\(feed)  removed \(shownPath(file.path)) (\(ByteCount(file.size).text)), by keep", .information)
  case .lowSpace(let path, let free, let floor):
    return (LowSpace(directory: shownPath(path), free: free, least: floor).text, .warning)
  case .directoryGone(let path):
    return (
      "\(shownPath(path)): was there and is gone, so its transfers are suspended; mount it, or make it again",
      .warning
    )
  case .directoryUnusable(_, let reason):
    return ("\(cleanText(reason, limit: 5000)), so transfers to it are suspended", .error)
  }
}

/// What lets a transfer that failed for good be tried again, as a cure.
func retryCure(_ number: Int64) -> String { "bgfetch transfers retry \(number) tries it again" }

/// A path with nothing in it that a terminal obeys: names of files come from feeds.
func shownPath(_ path: String) -> String { cleanText(path, limit: 5000) }

/// A transfer as the beginning of a line.
private func named(_ line: TransferLine) -> String {
  "\(line.feed)  \(cleanText(line.description, limit: 200)): "
}

/// What happened to transfers as JSON lines; how far they are is one for each.
func transferJSON(_ event: TransferEvent) -> [JSONValue] {
  switch event {
  case .progress(let running):
    running.map { progress in
      object(
        "transfer-progress", progress.line,
        [
          ("written", .number(progress.received)), ("total", progress.total.map(JSONValue.number) ?? .null),
          ("bytes-per-second", .number(progress.bytesPerSecond)),
        ])
    }
  case .began(let line, let offset, let reason):
    [object("transfer-began", line, [("offset", .number(offset)), ("reason", .text(reason))])]
  case .placed(let line, let file): [object("transfer-placed", line, fileFields(file))]
  case .unchanged(let line): [object("transfer-unchanged", line, [])]
  case .failed(let line, let reason): [object("transfer-failed", line, [("reason", .string(reason))])]
  case .left(let line, let status, let reason):
    [object("transfer-left", line, [("status", .string(status.rawValue)), ("reason", .string(reason))])]
  case .removed(let feed, let file):
    [.object([("type", .string("transfer-removed")), ("feed", .string(feed.text))] + fileFields(file))]
  case .lowSpace(let path, let free, let floor): [LowSpace(directory: path, free: free, least: floor).json]
  case .directoryGone(let path):
    [.object([("type", .string("directory-gone")), ("directory", .string(path))])]
  case .directoryUnusable(let path, let reason):
    [
      .object([
        ("type", .string("directory-unusable")), ("directory", .string(path)), ("reason", .string(reason)),
      ])
    ]
  }
}

/// A placed file as fields of JSON.
func fileFields(_ file: PlacedFile) -> [(name: String, value: JSONValue)] {
  [("path", .string(file.path)), ("size", .number(file.size)), ("sha256", .string(file.sha256))]
}

private func object(
  _ type: String, _ line: TransferLine, _ fields: [(name: String, value: JSONValue)]
) -> JSONValue {
  .object(
    [
      ("type", .string(type)), ("number", .number(line.number)), ("feed", .string(line.feed.text)),
      ("description", .string(line.description)),
    ] + fields)
}
