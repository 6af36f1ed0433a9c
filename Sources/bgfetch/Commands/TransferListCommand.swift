// `bgfetch transfers list`: transfers as a table, or one in full.

public import ArgumentParser
public import Core
import Host

struct TransferListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List transfers, or show one in full by its number")

  @OptionGroup var common: CommonOptions

  @Argument(
    help: ArgumentHelp(
      "Transfers by number, or of feeds by name, glob or @tag; default: all.",
      valueName: "transfer"),
    completion: .feedNames)
  var transfers: [String] = []

  @Flag(help: "Include finished, failed and cancelled transfers.")
  var all = false

  @Option(help: ArgumentHelp("Show only transfers with this status; may be repeated.", valueName: "status"))
  var status: [TransferStatus] = []

  @Option(help: ArgumentHelp("Show at most NUMBER transfers.", valueName: "number"))
  var limit: Int?

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit takes a number from 1 on") }
    if all, !status.isEmpty { throw ValidationError("write --all or --status, not both") }
  }

  func run() async {
    await Invocation.perform(common) { invocation in
      let settings = try invocation.configuration().settings
      let store = try await invocation.openStoreToShow(settings)
      let named = try TransferWords(transfers)
      // What a process that died has left as running waits for the next run, which finds that out for good.
      let mayRun = settings.hasTransferPhase
      let asked = mayRun || !statuses.contains(.suspended) ? statuses : statuses.union([.running])
      var listed = try await invocation.transfers(
        named, settings, store, statuses: asked,
        limit: limit ?? (all || !status.isEmpty ? invocation.console.defaultLimit : nil))
      if !mayRun, !settings.hasTransferPhase {
        listed = listed.map(\.afterItsProcess).filter {
          named.numbers.contains($0.number) || statuses.contains($0.status)
        }
      }
      invocation.print(
        listed, settings, in: try invocation.zone(settings), isInFull: named.isOne || common.verbose)
      return .success
    }
  }

  /// How far those are that are listed without being named by their numbers.
  private var statuses: Set<TransferStatus> {
    status.isEmpty ? Set(TransferStatus.allCases.filter { all || !$0.isSettled }) : Set(status)
  }
}

extension TransferStatus: ExpressibleByArgument {}

extension Settings {
  /// Whether a process is in the transfer phase, as far as its lock's file tells: the lock itself is left alone, so that
  /// nobody who wants it finds it taken.
  fileprivate var hasTransferPhase: Bool { FileLock.holder(of: transferLock).process != nil }
}

extension Transfer {
  /// The transfer as it is where no process works on any.
  fileprivate var afterItsProcess: Transfer {
    guard status == .running else { return self }
    var transfer = self
    (transfer.status, transfer.reason) = (.suspended, FetchRecord.interrupted)
    return transfer
  }
}

extension Invocation {
  fileprivate func print(
    _ transfers: [Transfer], _ settings: Settings, in zone: Zone, isInFull: Bool
  ) {
    if console.isJSON { return transfers.forEach { console.print(transferJSON($0, settings)) } }
    let now = clock.now()
    let isAtWork = settings.hasTransferPhase
    let page = console.page
    console.print(
      isInFull
        ? transfers.flatMap {
          transferDetails($0, settings, isAtWork: isAtWork, now: now, in: zone, on: page)
        } : transferTable(transfers, settings, isAtWork: isAtWork, now: now, in: zone, on: page))
  }
}

/// Transfers as a table: number, feed, how far, whether it can go on there, what it is, and why it is not further.
///
/// `isAtWork` is whether a run is bringing files just now.
func transferTable(
  _ transfers: [Transfer], _ settings: Settings, isAtWork: Bool, now: Instant, in zone: Zone,
  on page: Page
) -> [ReportLine] {
  guard !transfers.isEmpty else { return [] }
  let configured = Set(settings.feeds.map(\.name))
  let rows = transfers.map { transfer in
    [
      "#\(transfer.number)", transfer.feed.text, transfer.status.rawValue, progressText(transfer),
      resumeText(transfer).map { $0.canResume ? "yes" : "no" } ?? "",
      fitted(cleanText(transfer.description, limit: 200), 40, showsUnicode: page.showsUnicode),
      whyText(
        transfer, isConfigured: configured.contains(transfer.feed), isAtWork: isAtWork, now: now, in: zone),
    ]
  }
  let head = ["TRANSFER", "FEED", "STATUS", "PROGRESS", "RESUMES", "WHAT", "WHY"]
  let lines = table([head] + rows, hasHead: true, on: page)
  return zip(lines, [false] + transfers.map { $0.status == .failed }).map {
    ReportLine(text: $0, isProblem: $1)
  }
}

/// Everything about one transfer that a person may want to know, a line each.
func transferDetails(
  _ transfer: Transfer, _ settings: Settings, isAtWork: Bool, now: Instant, in zone: Zone,
  on page: Page
) -> [ReportLine] {
  let isConfigured = settings.feeds.contains { $0.name == transfer.feed }
  func moment(_ instant: Instant?) -> String? {
    instant.map { momentText($0, now: now, in: zone) }
  }
  let resume = resumeText(transfer)
  let rows: [(what: String, text: String?)] = [
    ("feed", transfer.feed.text), ("what", transfer.description),
    ("address", assetAddress(transfer, settings)), ("item", transfer.item.flatMap { $0.id ?? $0.title }),
    ("type", transfer.asset.type), ("queued", moment(transfer.queued)),
    ("status", transfer.status.rawValue), ("progress", progressText(transfer)),
    ("why", whyText(transfer, isConfigured: isConfigured, isAtWork: isAtWork, now: now, in: zone)),
    ("resumes", resume.map { ($0.canResume ? "yes, " : "no, ") + $0.why }),
    // How many there were at the end, its reason says.
    (
      "failures",
      transfer.failures > 0 && !transfer.status.isSettled
        ? "\(transfer.failures) in a row without progress" : nil
    ),
    ("failing since", moment(transfer.failingSince)), ("directory", transfer.directory),
    ("file", transfer.file?.path), ("placed", moment(transfer.file?.placed)),
    ("removed", moment(transfer.file?.removed)), ("sha256", transfer.file?.sha256),
  ]
  let told = rows.compactMap { row in
    row.text.flatMap { $0.isEmpty ? nil : ["  " + row.what, cleanText($0, limit: 5000)] }
  }
  return [ReportLine(text: "#\(transfer.number)", isProblem: transfer.status == .failed)]
    + table(told, hasHead: false, on: page).map { ReportLine(text: $0) }
}

/// A transfer as a line that says what became of it.
func transferLine(_ transfer: Transfer, _ what: String) -> String {
  "#\(transfer.number)  \(transfer.feed)  \(cleanText(transfer.description, limit: 200))  \(what)"
}

/// How much of a transfer is there, `12.3 of 45.1 MB, 27 %`; nothing before its first byte, all of it once it is placed.
func progressText(_ transfer: Transfer) -> String {
  if let file = transfer.file { return ByteCount(file.size).text }
  let received = transfer.partial.bytes
  let total = transfer.partial.total ?? transfer.asset.length.flatMap { $0 > received ? $0 : nil }
  guard received > 0 || total != nil else { return "" }
  return sizeText(received, of: total) + (percent(received, of: total).map { ", \($0) %" } ?? "")
}

/// Why a transfer is not further, and when it goes on; or how it ended.
func whyText(
  _ transfer: Transfer, isConfigured: Bool, isAtWork: Bool, now: Instant, in zone: Zone
) -> String {
  let reason = transfer.reason.map { cleanText($0, limit: 500) } ?? ""
  func joined(_ parts: String...) -> String { parts.filter { !$0.isEmpty }.joined(separator: "; ") }
  switch transfer.status {
  case .running: return "under way"
  case .finished:
    guard let file = transfer.file else { return joined("the file was already up to date", reason) }
    return joined(shownPath(file.path), file.removed == nil ? "" : "removed")
  case .failed: return joined(reason, retryCure(transfer.number))
  case .cancelled: return reason
  case .queued, .suspended:
    if transfer.isHeld {
      return "by transfers suspend; bgfetch transfers resume \(transfer.number) continues it"
    }
    if !isConfigured { return joined("its feed has left the configuration", reason) }
    // One that is suspended goes on with the next run, too; only the run that left it waits for that moment.
    if let notBefore = transfer.notBefore, notBefore > now,
      transfer.status == .queued || transfer.isFeedBody
    {
      return joined(reason, "again at \(local(notBefore, in: zone))")
    }
    // What a run at work left suspended, it may have given up.
    let isNext = isAtWork && transfer.status == .queued
    return joined(reason, isNext ? "waiting for its turn in the current run" : "the next run continues")
  }
}

func transferJSON(_ transfer: Transfer, _ settings: Settings) -> JSONValue {
  let resume = resumeText(transfer)
  let partial = transfer.partial
  let file: [(name: String, value: JSONValue)] =
    transfer.file.map { fileFields($0) } ?? [("path", .null), ("size", .null), ("sha256", .null)]
  return .object(
    [
      ("type", .string("transfer")), ("number", .number(transfer.number)),
      ("feed", .string(transfer.feed.text)), ("session", .number(transfer.session)),
      ("description", .string(transfer.description)), ("status", .string(transfer.status.rawValue)),
      ("held", .bool(transfer.isHeld)), ("reason", .text(transfer.reason)),
      ("url", .text(assetAddress(transfer, settings))), ("asset-type", .text(transfer.asset.type)),
      ("length", transfer.asset.length.map(JSONValue.number) ?? .null),
      ("index", .number(Int64(transfer.asset.index))), ("feed-body", .bool(transfer.isFeedBody)),
      ("item", .text(transfer.item?.id)), ("item-title", .text(transfer.item?.title)),
      ("published", .text(transfer.item?.published?.rfc3339)), ("queued", .string(transfer.queued.rfc3339)),
      ("not-before", .text(transfer.notBefore?.rfc3339)), ("failures", .number(Int64(transfer.failures))),
      ("failing-since", .text(transfer.failingSince?.rfc3339)), ("cuts", .number(Int64(transfer.cuts))),
      ("written", .number(transfer.file?.size ?? partial.bytes)),
      ("total", (transfer.file?.size ?? partial.total).map(JSONValue.number) ?? .null),
      ("resumable", resume.map { .bool($0.canResume) } ?? .null), ("resume-reason", .text(resume?.why)),
      ("etag", .text(partial.entityTag)), ("last-modified", .text(partial.lastModified)),
      ("directory", .text(transfer.directory)),
    ] + file + [
      ("placed", .text(transfer.file?.placed.rfc3339)), ("removed", .text(transfer.file?.removed?.rfc3339)),
    ])
}

/// Where the asset of a transfer is, with what may be secret in it masked.
private func assetAddress(_ transfer: Transfer, _ settings: Settings) -> String? {
  guard transfer.asset.url.isEmpty else { return addressText(transfer.asset.url) }
  return settings.feeds.first { $0.name == transfer.feed }.map { addressText(of: $0) }
}

/// Whether a transfer can go on where it stopped, and why or why not; nil where nothing is there of it, or all is.
func resumeText(_ transfer: Transfer) -> (canResume: Bool, why: String)? {
  // Which address it will be asked at, only redirects tell; what is shown is true where it is the one of before.
  guard transfer.file == nil, transfer.partial.bytes > 0, let anywhere = WebAddress("https://asset.example/")
  else { return nil }
  var partial = transfer.partial
  partial.address = anywhere.text
  switch resumePlan(partial, asking: anywhere) {
  case .fresh(let reason): return (false, reason ?? "")
  case .resume(_, let validator):
    let name = validator.hasPrefix("\"") ? "ETag" : "Last-Modified"
    return (true, "by \(name) \(cleanText(validator, limit: 200))")
  }
}
