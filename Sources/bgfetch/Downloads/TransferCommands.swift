// `bgfetch transfers`: its subcommands, except for `list` and `verify`, which have files of their own.

import ArgumentParser
import Core
import Running
import Store

struct TransfersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transfers", abstract: "List and manage downloads",
    subcommands: [
      TransferListCommand.self, TransferRunCommand.self, TransferRetryCommand.self,
      TransferPauseCommand.self, TransferResumeCommand.self, TransferCancelCommand.self,
      TransferAddCommand.self, TransferVerifyCommand.self,
    ], defaultSubcommand: TransferListCommand.self)
}

struct TransferRunCommand: ProgramCommand {
  static let heading = ("run", "Download queued files, without fetching feeds")

  @OptionGroup var common: CommonOptions
  @OptionGroup var report: ReportOptions

  @Option(help: ArgumentHelp("Time limit, including hooks.", valueName: "duration"), transform: readDuration)
  var budget: Interval?

  @Flag(help: "If another process is downloading, wait for it.")
  var wait = false

  @Option(help: ArgumentHelp("What started the run.", visibility: .hidden))
  var cause: RunCause?

  var amount: ReportAmount { report.amount }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    var options = RunOptions()
    options.timeLimit = budget
    options.cause = try cause ?? invocation.cause()
    options.waits = wait
    return try await invocation.runTransfers(options)
  }
}

struct TransferAddCommand: ProgramCommand {
  static let heading = ("add", "Queue the files of items that are already stored")

  @OptionGroup var common: CommonOptions

  @OptionGroup var chosen: ChosenItems

  func validate() throws { try chosen.requireNames() }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: .writing)
    let feeds = try chosen.feeds(of: state.settings)
    if feeds != [], !chosen.isSelective, chosen.limit == nil {
      throw ProgramFailure.usage(
        "choose items: by number, or with --limit 5 or --since; bgfetch items shows the numbers")
    }
    if let feeds, feeds.count == 1, let feed = state.settings.feeds[feeds[0]] { try expectAssets(of: feed) }
    var added: [Transfer] = []
    let items = try await state.store.items(numbered: try await state.numbers(of: chosen, .withFiles))
    let byFeed = Dictionary(grouping: items, by: \.feed)
    for spec in state.settings.feeds.named(byFeed.keys.sorted()) {
      try expectAssets(of: spec)
      added += try await state.addTransfers(of: spec, items: byFeed[spec.name, default: []].map(\.number))
    }
    state.wakeWatch()
    let console = invocation.console
    console.print(
      json: added.map { transferJSON($0, state.settings) }, text: added.map { transferLine($0, "queued") })
    if added.isEmpty, !console.isJSON {
      console.say(
        "nothing to queue: these items have no files, or the files are already downloaded or queued")
    }
    return .success
  }
}

extension ItemQuery {
  /// Items of which files can be downloaded.
  fileprivate static var withFiles: ItemQuery {
    var query = ItemQuery()
    query.withFilesOnly = true
    return query
  }
}

/// Refuses a feed whose assets are not downloaded by transfers.
private func expectAssets(of feed: FeedSpec) throws {
  if feed.kind == .asset {
    throw ProgramFailure.usage(
      "\(feed.name) has kind asset, so its fetch is the download; use bgfetch run \(feed.name)")
  }
  if feed.transferDownload == nil {
    throw ProgramFailure.usage(
      "\(feed.name) has no download; write download: {} below it in the configuration")
  }
}

struct TransferRetryCommand: TransferChangeCommand {
  static let heading = ("retry", "Queue failed, cancelled or waiting transfers again")

  @OptionGroup var named: NamedTransfers

  static let change = TransferChange.retry
}

struct TransferPauseCommand: TransferChangeCommand {
  static let heading = ("pause", "Pause transfers until they are resumed")

  @OptionGroup var named: NamedTransfers

  static let change = TransferChange.pause
}

struct TransferResumeCommand: TransferChangeCommand {
  static let heading = ("resume", "Continue paused and suspended transfers")

  @OptionGroup var named: NamedTransfers

  static let change = TransferChange.resume
}

struct TransferCancelCommand: TransferChangeCommand {
  static let heading = ("cancel", "Cancel transfers and remove their partial files")

  @OptionGroup var named: NamedTransfers

  static let change = TransferChange.cancel
}

/// A command that changes transfers.
protocol TransferChangeCommand: ProgramCommand where Options == ConfigurationOption {
  static var change: TransferChange { get }
  var named: NamedTransfers { get }
}

extension TransferChangeCommand {
  var common: ConfigurationOption { named.common }

  /// Applies the change to the named transfers that allow it, and prints them.
  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let (change, console) = (Self.change, invocation.console)
    let state = try await invocation.openState(for: .writing)
    let words = TransferWords(named.transfers)
    // No change applies to a finished transfer.
    let chosen = try await state.transfers(
      words, statuses: Set(TransferStatus.allCases).subtracting([.finished]))
    // A transfer named by number must allow the change; of a feed's transfers, only the ones that do are changed.
    for transfer in chosen where words.contains(transfer.number) && !change.applies(to: transfer) {
      throw ProgramFailure.usage(change.refusal(of: transfer))
    }
    let affected = chosen.filter { transfer in
      words.contains(transfer.number) || change.appliesUnnamed(to: transfer)
    }
    let changed = try await state.change(affected, by: change)
    if change == .retry || change == .resume { state.wakeWatch() }
    for transfer in changed { console.print(transferLine(transfer, change.done)) }
    let left = affected.map(\.number).filter { number in
      words.contains(number) && !changed.contains { $0.number == number }
    }
    for number in left {
      console.say("transfer \(number) stays as it is: its file is being placed, or another transfer has it")
    }
    if changed.isEmpty, left.isEmpty {
      console.say("nothing to \(Self.heading.0): bgfetch transfers list --all shows why")
    }
    return .success
  }
}

/// A change that a person can make to a transfer.
enum TransferChange: Hashable, Sendable {
  case retry
  /// Stop it until the person resumes it.
  case pause
  case resume
  case cancel

  /// Whether the change makes sense for a transfer.
  func applies(to transfer: Transfer) -> Bool {
    switch self {
    case .retry:
      switch transfer.status {
      case .failed, .cancelled, .suspended: true
      // A transfer that waits after a failure may start earlier.
      case .queued: transfer.notBefore != nil
      case .running, .finished: false
      }
    case .pause: !transfer.status.isSettled && !transfer.isSuspendedByUser
    case .resume: transfer.status == .suspended
    // A failed transfer is reported until it is cancelled.
    case .cancel: !transfer.status.isSettled || transfer.status == .failed
    }
  }

  /// Whether the change applies to a transfer that is named by its feed or `--all`, not by its number.
  ///
  /// Such a retry leaves out transfers that the person cancelled or paused.
  func appliesUnnamed(to transfer: Transfer) -> Bool {
    guard self == .retry else { return applies(to: transfer) }
    return applies(to: transfer) && transfer.status != .cancelled && !transfer.isSuspendedByUser
  }

  /// The new state of a changed transfer, in words.
  var done: String {
    switch self {
    case .retry, .resume: "queued again"
    case .pause: "paused"
    case .cancel: "cancelled"
    }
  }

  /// The message for a transfer that cannot be changed this way.
  func refusal(of transfer: Transfer) -> String {
    let what = "transfer \(transfer.number) is \(transfer.status.rawValue)"
    return switch (self, transfer.status) {
    case (.retry, .finished):
      transfer.file.map { "\(what): \(shownPath($0.path)); bgfetch transfers add downloads it again" }
        ?? "\(what), and up to date"
    case (.resume, .failed), (.resume, .cancelled):
      "\(what); bgfetch transfers retry \(transfer.number) queues it again"
    case (.resume, .queued), (.resume, .running): "\(what), and continues by itself"
    default: "\(what) already"
    }
  }
}

/// The transfers that a command changes; all of them only with `--all`, never because a name is missing.
struct NamedTransfers: ParsableArguments {
  @OptionGroup var common: ConfigurationOption

  @Argument(
    help: ArgumentHelp(
      "Transfers by number or range, or of feeds by name, glob or @tag.", valueName: "transfer"),
    completion: .feedNames)
  var transfers: [String] = []

  @Flag(help: "All transfers.")
  var all = false

  func validate() throws {
    guard all || !transfers.isEmpty else {
      throw ValidationError("name transfers by number or by feed, or write --all")
    }
    if all, !transfers.isEmpty { throw ValidationError("write transfers or --all, not both") }
  }
}

/// The words that select transfers, sorted into numbers and feeds.
struct TransferWords: Hashable {
  /// Numbers of transfers: `12`, `#12` or `12-15`.
  let numbers: [ClosedRange<Int64>]
  /// Names, globs and tags of feeds.
  let feeds: [String]

  init(_ words: [String]) {
    numbers = words.compactMap(numberRange)
    feeds = words.filter { numberRange($0) == nil }
  }

  /// Whether there are no words, which means all transfers.
  var isEmpty: Bool { numbers.isEmpty && feeds.isEmpty }

  /// Whether there is exactly one number and nothing else.
  var isOne: Bool { numbers.count == 1 && numbers[0].lowerBound == numbers[0].upperBound && feeds.isEmpty }

  /// Whether the words name the number of a transfer.
  func contains(_ number: Int64) -> Bool { numbers.contains { $0.contains(number) } }

  /// The error for numbers that no transfer has.
  static func noTransfer(_ range: ClosedRange<Int64>) -> ProgramFailure {
    let isOne = range.lowerBound == range.upperBound
    let shown = isOne ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
    return .usage("there is no transfer \(shown); bgfetch transfers list --all shows them")
  }
}
