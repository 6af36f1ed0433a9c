// `bgfetch transfers list`: transfers as a table, or one in full.

public import ArgumentParser
public import Core
import Machine
import Store

struct TransferListCommand: ProgramCommand {
  static let heading = ("list", "List transfers, or show one in full by its number")

  @OptionGroup var common: CommonOptions

  @Argument(
    help: ArgumentHelp(
      "Transfers by number or range, or of feeds by name, glob or @tag; default: all.",
      valueName: "transfer"),
    completion: .feedNames)
  var transfers: [String] = []

  @Flag(help: "Include finished, failed and cancelled transfers.")
  var all = false

  @Option(help: "Show only transfers with this status; may be repeated.")
  var status: [TransferStatus] = []

  @Option(help: ArgumentHelp("Show at most this number of transfers.", valueName: "number"))
  var limit: Int?

  func validate() throws {
    try requirePositive(limit, "--limit")
    if all, !status.isEmpty { throw ValidationError("write --all or --status, not both") }
  }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: .reading)
    invocation.startPager()
    let settings = state.settings
    let named = TransferWords(transfers)
    // A process that died left its transfers marked as running. They are shown as suspended.
    let wanted = statuses.contains(.suspended) ? statuses.union([.running]) : statuses
    var listed = try await state.transfers(
      named, statuses: wanted,
      limit: limit ?? (all || !status.isEmpty ? invocation.console.defaultLimit : nil))
    let texts = TransferTexts(
      settings: settings, isAtWork: settings.isDownloading, now: state.clock.now(), zone: try state.zone(),
      page: invocation.console.page)
    if !texts.isAtWork { listed = listed.map { $0.afterItsProcess(at: texts.now) } }
    listed = listed.filter { named.contains($0.number) || statuses.contains($0.status) }
    invocation.console.print(
      json: listed.map { transferJSON($0, settings) },
      table: named.isOne ? listed.flatMap(texts.details) : texts.rows(listed))
    if named.numbers.isEmpty, status.isEmpty {
      let counts = try await state.store.omittedCounts()
      let feeds =
        named.feeds.isEmpty
        ? counts.keys.filter(settings.feedNames.contains).sorted()
        : ((try? selectedFeeds(named.feeds, from: settings.feeds)) ?? []).map(\.name)
      for feed in feeds {
        guard let omitted = counts[feed], let text = text(ofOmitted: omitted) else { continue }
        invocation.console.print(
          json: OmissionRule.allCases.compactMap { rule in
            omitted[rule].map { count in
              JSONValue([
                "type": "omission", "feed": feed, "rule": rule.rawValue, "reason": rule.text, "files": count,
              ])
            }
          }, text: ["\(feed)  \(text); bgfetch items \(feed) --json says which"])
      }
    }
    if listed.isEmpty {
      invocation.console.sayEmpty(
        all || !status.isEmpty ? "no transfers" : "no transfers are waiting; --all lists settled ones too")
    }
    return .success
  }

  /// The statuses to list; transfers named by number are listed with any status.
  private var statuses: Set<TransferStatus> {
    status.isEmpty ? Set(TransferStatus.allCases.filter { all || !$0.isSettled }) : Set(status)
  }
}

extension TransferStatus: ExpressibleByArgument {}

extension Settings {
  /// Whether a process downloads, according to the lock file.
  ///
  /// Taking the lock to find out could make another process fail.
  fileprivate var isDownloading: Bool { LockHolder(transferLock).process != nil }
}

extension Transfer {
  /// The transfer as it is if no process of this machine is running, and no other machine holds it.
  fileprivate func afterItsProcess(at now: Instant) -> Transfer {
    guard status == .running, heldUntil.map({ $0 < now }) ?? true else { return self }
    var transfer = self
    transfer.status = .suspended
    transfer.reason = FetchRecord.interrupted
    return transfer
  }
}

/// How transfers are shown.
struct TransferTexts {
  let settings: Settings
  /// Whether a process is downloading now.
  var isAtWork = false
  let now: Instant
  let zone: Zone
  let page: Page

  /// Transfers as a table.
  func rows(_ transfers: [Transfer]) -> [ReportLine] {
    guard !transfers.isEmpty else { return [] }
    let rows = transfers.map { transfer in
      [
        "#\(transfer.number)", transfer.feed.text, transfer.status.rawValue, progressText(transfer),
        resumeText(transfer).map { $0.canResume ? "yes" : "no" } ?? "",
        fitted(cleanText(transfer.description, limit: 200), 40), why(transfer),
      ]
    }
    let head = ["TRANSFER", "FEED", "STATUS", "PROGRESS", "RESUMES", "WHAT", "WHY"]
    return table(head, rows, problems: transfers.map { $0.status == .failed }, on: page)
  }

  /// Everything about one transfer, one line each.
  func details(_ transfer: Transfer) -> [ReportLine] {
    func moment(_ instant: Instant?) -> String? {
      instant.map { momentText($0, now: now, in: zone) }
    }
    let resume = resumeText(transfer)
    let rows: [(what: String, text: String?)] = [
      ("feed", transfer.feed.text), ("what", transfer.description),
      ("address", assetAddress(transfer, settings)), ("item", transfer.item.flatMap { $0.id ?? $0.title }),
      ("type", transfer.asset.type), ("queued", moment(transfer.queued)),
      ("status", transfer.status.rawValue), ("progress", progressText(transfer)), ("why", why(transfer)),
      ("resumes", resume.map { ($0.canResume ? "yes, " : "no, ") + $0.why }),
      // The reason of a failed transfer contains the number of failures.
      (
        "failures",
        transfer.failures > 0 && !transfer.status.isSettled
          ? "\(transfer.failures) in a row without progress" : nil
      ),
      ("failing since", moment(transfer.failingSince)), ("directory", transfer.directory),
      ("file", transfer.file?.path), ("placed", moment(transfer.file?.placed)),
      ("removed", moment(transfer.file?.removed)),
      ("sha256", transfer.file?.sha256),
    ]
    return bgfetch.details(
      of: "#\(transfer.number)", isProblem: transfer.status == .failed, rows, on: page)
  }

  /// Why a transfer has not finished and when it continues, or how it ended.
  func why(_ transfer: Transfer) -> String {
    let reason = transfer.reason.map { cleanText($0, limit: 500) } ?? ""
    func joined(_ parts: String...) -> String { parts.filter { !$0.isEmpty }.joined(separator: "; ") }
    switch transfer.status {
    case .running: return "under way"
    case .finished:
      guard let file = transfer.file else { return joined("the file was already up to date", reason) }
      return joined(shownPath(file.path), file.removed != nil ? "removed" : file.isGone ? "gone" : "")
    case .failed: return joined(reason, retryCure(transfer.number))
    case .cancelled: return reason
    case .queued, .suspended:
      if transfer.isSuspendedByUser {
        return "paused; bgfetch transfers resume \(transfer.number) continues it"
      }
      if !settings.feedNames.contains(transfer.feed) {
        return joined("its feed is no longer configured", reason)
      }
      if transfer.isWaiting, let end = transfer.notBefore { return waitText(reason, until: end, in: zone) }
      // The next run continues a suspended transfer before that moment; only the run that suspended it waits.
      if let notBefore = transfer.notBefore, notBefore > now,
        transfer.status == .queued || transfer.isFeedBody
      {
        return joined(reason, "next try at \(notBefore.local(in: zone))")
      }
      // The current run may not return to a transfer that it suspended.
      let isNext = isAtWork && transfer.status == .queued
      return joined(reason, isNext ? "waiting for its turn in the current run" : "the next run continues")
    }
  }
}

/// A transfer and its new state, as a line.
func transferLine(_ transfer: Transfer, _ what: String) -> String {
  "#\(transfer.number)  \(transfer.feed)  \(cleanText(transfer.description, limit: 200))  \(what)"
}

/// The progress of a transfer, for example `12.3 of 45.1 MB, 27 %`; empty before its first byte, its size once placed.
func progressText(_ transfer: Transfer) -> String {
  if let file = transfer.file { return ByteCount(file.size).text }
  let received = transfer.partial.bytes
  let total = transfer.partial.total ?? transfer.asset.length.flatMap { $0 > received ? $0 : nil }
  guard received > 0 || total != nil else { return "" }
  return sizeText(received, of: total) + (percent(received, of: total).map { ", \($0) %" } ?? "")
}

func transferJSON(_ transfer: Transfer, _ settings: Settings) -> JSONValue {
  let resume = resumeText(transfer)
  let partial = transfer.partial
  let file = transfer.file.map(fileFields) ?? JSONValue(["path": nil, "size": nil, "sha256": nil])
  return JSONValue([
    "type": "transfer", "number": transfer.number, "feed": transfer.feed, "session": transfer.session,
    "description": transfer.description, "status": transfer.status.rawValue,
    "paused": transfer.isSuspendedByUser, "reason": transfer.reason, "url": assetAddress(transfer, settings),
    "asset-type": transfer.asset.type, "length": transfer.asset.length, "index": transfer.asset.index,
    "feed-body": transfer.isFeedBody, "item": transfer.item?.id, "item-title": transfer.item?.title,
    "published": transfer.item?.published, "queued": transfer.queued, "not-before": transfer.notBefore,
    "failures": transfer.failures, "failing-since": transfer.failingSince, "cuts": transfer.cuts,
    "written": transfer.file?.size ?? partial.bytes, "total": transfer.file?.size ?? partial.total,
    "resumable": resume?.canResume, "resume-reason": resume?.why, "etag": partial.entityTag,
    "last-modified": partial.lastModified, "directory": transfer.directory,
  ]).adding(file).adding(
    JSONValue([
      "placed": transfer.file?.placed, "removed": transfer.file?.removed,
      "gone": transfer.file?.isGone ?? false,
    ]))
}

extension PlacedFile {
  /// Whether it is no longer in its place, though `keep` did not remove it; an object of a bucket is not asked for.
  fileprivate var isGone: Bool {
    removed == nil && !BucketSpec.isBucket(directory) && fileIdentity(path) == nil
  }
}

/// The address of a transfer's asset, with secrets masked.
private func assetAddress(_ transfer: Transfer, _ settings: Settings) -> String? {
  guard transfer.asset.url.isEmpty else { return addressText(transfer.asset.url) }
  return settings.feeds[transfer.feed].map { addressText(of: $0) }
}

/// Whether a transfer can resume, and why; nil without a partial file.
func resumeText(_ transfer: Transfer) -> (canResume: Bool, why: String)? {
  // Redirects decide the final address. The answer assumes that it is the same as before.
  guard transfer.file == nil, transfer.partial.bytes > 0 else { return nil }
  switch resumePlan(transfer.partial, asking: nil) {
  case .fresh(let reason): return (false, reason ?? "")
  case .resume(_, let validator):
    let name = validator.hasPrefix("\"") ? "ETag" : "Last-Modified"
    return (true, "by \(name) \(cleanText(validator, limit: 200))")
  }
}
