// Past fetches and requests, listed: the oldest first, as in other logs, so that the last one stands at the prompt.

import Core
import StateStore

/// Fetches as a table: when, which feed, what came of it, and from when on the rules allowed the next one.
func fetchLines(
  _ fetches: [PastFetch], in zone: Zone, withHead: Bool, on page: Page
) -> [ReportLine] {
  let rows = fetches.map { fetch in
    [
      local(fetch.record.started, in: zone), fetch.feed.text,
      fetch.record.wasCut ? "left" : fetch.record.result.rawValue,
      fetch.record.count > 0 ? String(fetch.record.count) : "",
      fetch.nextDue.map { local($0, in: zone) } ?? "when named", cleanText(fetch.record.reason, limit: 500),
    ]
  }
  let head = ["TIME", "FEED", "RESULT", "COUNT", "NOT BEFORE", "REASON"]
  let lines = table([head] + rows, hasHead: true, on: page)
  let marked = zip(lines, [false] + fetches.map { $0.record.result == .failed && !$0.record.wasCut })
  return marked.map { ReportLine(text: $0, isProblem: $1) }.suffix(withHead ? lines.count : rows.count)
}

/// A fetch as JSON.
func fetchJSON(_ fetch: PastFetch) -> JSONValue {
  .object(
    [
      ("type", .string("fetch")), ("feed", .string(fetch.feed.text)),
      ("started", .string(fetch.record.started.rfc3339)), ("ended", .string(fetch.record.ended.rfc3339)),
      ("count", .number(Int64(fetch.record.count))),
      ("requests", .number(Int64(fetch.record.requests.count))),
      ("status", fetch.record.status.map { .number(Int64($0)) } ?? .null),
      ("bytes", .number(fetch.record.bytes)),
    ] + fetchFields(fetch))
}

/// Requests as a table: when, which feed, what was answered to which validators, and the address; the last one of a
/// fetch with the moment from which on the rules allowed the next.
func requestLines(
  _ requestEntries: [RequestEntry], in zone: Zone, withHead: Bool, on page: Page
) -> [ReportLine] {
  var rows = [["TIME", "FEED", "STATUS", "VALIDATORS", "BYTES", "TOOK", "NOT BEFORE", "ADDRESS"]]
  var isProblem = [false]
  for asking in requestEntries {
    switch asking {
    case .fetch(let fetch):
      for (hop, request) in fetch.record.requests.enumerated() {
        let isLast = hop == fetch.record.requests.count - 1
        let notBefore = fetch.nextDue.map { local($0, in: zone) } ?? "when named"
        rows.append(requestRow(request, of: fetch.feed, notBefore: isLast ? notBefore : "", in: zone))
        isProblem.append(isLast && fetch.record.result == .failed && !fetch.record.wasCut)
      }
    case .download(let download):
      rows.append(requestRow(download.record, of: download.feed, notBefore: "", in: zone))
      isProblem.append(download.record.status.map { $0 >= 400 } ?? true)
    }
  }
  let lines = zip(table(rows, hasHead: true, on: page), isProblem).map { ReportLine(text: $0, isProblem: $1) }
  return lines.suffix(withHead ? lines.count : lines.count - 1)
}

private func requestRow(
  _ request: RequestRecord, of feed: FeedName, notBefore: String, in zone: Zone
) -> [String] {
  [
    local(request.started.instant, in: zone) + "." + request.started.fraction, feed.text,
    request.status.map(String.init) ?? "-", validatorText(request),
    request.bytes.map { ByteCount($0).text } ?? "", request.milliseconds.map { "\($0)ms" } ?? "", notBefore,
    [cleanText(request.address, limit: 2000), cleanText(request.failure ?? "", limit: 500)]
      .filter { !$0.isEmpty }.joined(separator: "  "),
  ]
}

private func validatorText(_ request: RequestRecord) -> String {
  switch (request.sentEntityTag, request.sentModificationDate) {
  case (true, true): "etag, date"
  case (true, false): "etag"
  case (false, true): "date"
  case (false, false): ""
  }
}

/// Requests as JSON: those of a fetch each with what came of the fetch, that of a download with its transfer.
func requestJSON(_ asking: RequestEntry) -> [JSONValue] {
  switch asking {
  case .fetch(let fetch):
    fetch.record.requests.enumerated().map { hop, request in
      .object(requestFields(request, of: fetch.feed, hop: hop) + fetchFields(fetch))
    }
  case .download(let download):
    [
      .object(
        requestFields(download.record, of: download.feed, hop: download.hop)
          + [("transfer", .number(download.transfer))])
    ]
  }
}

private func requestFields(_ request: RequestRecord, of feed: FeedName, hop: Int) -> [(String, JSONValue)] {
  var validators: [JSONValue] = []
  if request.sentEntityTag { validators.append(.string("If-None-Match")) }
  if request.sentModificationDate { validators.append(.string("If-Modified-Since")) }
  return [
    ("type", .string("request")), ("feed", .string(feed.text)),
    ("time", .string(request.started.rfc3339)), ("hop", .number(Int64(hop))),
    ("address", .text(request.address.isEmpty ? nil : request.address)),
    ("conditional", .bool(request.wasConditional)), ("validators", .array(validators)),
    ("status", request.status.map { .number(Int64($0)) } ?? .null), ("failure", .text(request.failure)),
    ("bytes", request.bytes.map(JSONValue.number) ?? .null),
    ("milliseconds", request.milliseconds.map(JSONValue.number) ?? .null),
  ]
}

/// What is said of a fetch with each of its requests, too.
private func fetchFields(_ fetch: PastFetch) -> [(String, JSONValue)] {
  [
    ("fetch", .number(fetch.number)), ("result", resultJSON(fetch.record)),
    ("reason", .string(fetch.record.reason)), ("not-before", .text(fetch.nextDue?.rfc3339)),
    ("run", fetch.run.map(JSONValue.number) ?? .null), ("cause", .text(fetch.cause?.rawValue)),
    ("named", .bool(fetch.wasNamed)), ("forced", .bool(fetch.wasForced)),
  ]
}

/// A moment as lists of the past show it.
func local(_ moment: Instant, in zone: Zone) -> String {
  time(moment, "%Y-%m-%d %H:%M:%S", in: zone)
}
