// `bgfetch transfers`: its subcommands, except for `list`, which is in TransferListCommand.

import ArgumentParser
import Core
import Host

struct TransfersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transfers", abstract: "List and manage downloads",
    subcommands: [
      TransferListCommand.self, TransferRunCommand.self, TransferRetryCommand.self,
      TransferSuspendCommand.self, TransferResumeCommand.self, TransferCancelCommand.self,
      TransferAddCommand.self,
    ], defaultSubcommand: TransferListCommand.self)
}

struct TransferRunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Download queued files, without fetching feeds")

  @OptionGroup var common: CommonOptions

  @Option(
    help: ArgumentHelp("Time limit, including hooks.", valueName: "duration"),
    transform: readDuration)
  var budget: Interval?

  @Flag(name: .customLong("no-hooks"), help: "Run no hooks for these transfers.")
  var withoutHooks = false

  @Flag(help: "If another process is downloading, wait for it.")
  var wait = false

  @Option(help: ArgumentHelp("What started the run.", valueName: "cause"))
  var cause: RunCause?

  func run() async {
    await Invocation.perform(common) { invocation in
      try await invocation.runTransfers(
        TransferRunOrder(
          limit: budget, runsHooks: !withoutHooks, cause: try cause ?? invocation.cause(), waits: wait))
    }
  }
}

struct TransferAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Queue the files of items that are already stored")

  @OptionGroup var common: CommonOptions

  @Argument(help: "The feed.", completion: .feedNames)
  var feed: String

  @Option(
    help: ArgumentHelp("Queue the files of the newest NUMBER items that have files.", valueName: "number"))
  var latest: Int?

  @Option(help: ArgumentHelp("Queue the files of the item with this id; may be repeated.", valueName: "id"))
  var item: [String] = []

  func validate() throws {
    if let latest, latest < 1 { throw ValidationError("--latest takes a number from 1 on") }
    if latest != nil, !item.isEmpty { throw ValidationError("write --latest or --item, not both") }
    if latest == nil, item.isEmpty {
      throw ValidationError(
        "say which: --latest 5, or --item with an id that bgfetch items gives by {item.id}")
    }
  }

  func run() async {
    await Invocation.perform(common) { invocation in
      let settings = try invocation.configuration().settings
      let spec = try invocation.feed(named: feed)
      try expectAssets(of: spec)
      let store = try await invocation.openStore(settings, for: .writing)
      let added = try await invocation.addTransfers(of: spec, latest: latest, items: item, settings, store)
      WakeFile.touch(settings.wakeFile)
      let console = invocation.console
      for transfer in added {
        if console.isJSON {
          console.print(transferJSON(transfer, settings))
        } else {
          console.print(transferLine(transfer, "queued"))
        }
      }
      if added.isEmpty, !console.isJSON {
        console.say(
          "nothing to queue: those items of \(spec.name) have no files, or their files are already downloaded or queued"
        )
      }
      return .success
    }
  }
}

/// Refuses a feed of which no assets are downloaded.
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

struct TransferRetryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry", abstract: "Queue failed, cancelled or waiting transfers again")

  @OptionGroup var common: CommonOptions
  @OptionGroup var named: NamedTransfers

  func run() async { await TransferChange.retry.perform(on: named, common) }
}

struct TransferSuspendCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "suspend", abstract: "Suspend transfers until they are resumed")

  @OptionGroup var common: CommonOptions
  @OptionGroup var named: NamedTransfers

  func run() async { await TransferChange.suspend.perform(on: named, common) }
}

struct TransferResumeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Resume suspended transfers")

  @OptionGroup var common: CommonOptions
  @OptionGroup var named: NamedTransfers

  func run() async { await TransferChange.resume.perform(on: named, common) }
}

struct TransferCancelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "Cancel transfers and remove their partial files")

  @OptionGroup var common: CommonOptions
  @OptionGroup var named: NamedTransfers

  func run() async { await TransferChange.cancel.perform(on: named, common) }
}

extension TransferChange {
  /// Changes the named transfers that it can be done to, and says which.
  fileprivate func perform(on named: NamedTransfers, _ common: CommonOptions) async {
    await Invocation.perform(common) { invocation in
      let settings = try invocation.configuration().settings
      let store = try await invocation.openStore(settings, for: .writing)
      let words = try TransferWords(named.transfers)
      let chosen = try await invocation.transfers(words, settings, store, statuses: statuses)
      // What is named by its number is meant; where feeds are named, all of theirs are that it concerns.
      for transfer in chosen where words.numbers.contains(transfer.number) && !concerns(transfer) {
        throw ProgramFailure.usage(refusal(of: transfer))
      }
      let concerned = chosen.filter { transfer in
        words.numbers.contains(transfer.number) || concernsInPassing(transfer)
      }
      let (changed, remarks) = try await invocation.change(concerned, by: self, settings, store)
      if self == .retry || self == .resume { WakeFile.touch(settings.wakeFile) }
      invocation.print(changed, self, settings)
      for remark in remarks { invocation.console.say(remark, .warning) }
      return .success
    }
  }
}

extension Invocation {
  fileprivate func print(_ changed: [Transfer], _ change: TransferChange, _ settings: Settings) {
    guard !console.isJSON else { return changed.forEach { console.print(transferJSON($0, settings)) } }
    for transfer in changed { console.print(transferLine(transfer, change.done)) }
    if changed.isEmpty { console.say(change.nothing) }
  }
}

/// What a person can do to a transfer.
enum TransferChange: Hashable, Sendable {
  case retry
  /// Hold it until it is resumed.
  case suspend
  case resume
  case cancel

  /// Whether there is something to do to a transfer.
  func concerns(_ transfer: Transfer) -> Bool {
    switch self {
    case .retry:
      switch transfer.status {
      case .failed, .cancelled, .suspended: true
      // One that waits after a failure need not.
      case .queued: transfer.notBefore != nil
      case .running, .finished: false
      }
    case .suspend: !transfer.status.isSettled && !transfer.isHeld
    case .resume: transfer.status == .suspended
    // A failed one is told of until nobody wants it any more.
    case .cancel: !transfer.status.isSettled || transfer.status == .failed
    }
  }

  /// How far those may be that it is done to.
  var statuses: Set<TransferStatus> { Set(TransferStatus.allCases).subtracting([.finished]) }

  /// Whether it is done to a transfer that is not named by its number, but among all those of a feed.
  ///
  /// What the person gave up or holds is not begun again in passing.
  func concernsInPassing(_ transfer: Transfer) -> Bool {
    guard self == .retry else { return concerns(transfer) }
    return concerns(transfer) && transfer.status != .cancelled && !transfer.isHeld
  }

  /// What became of a transfer that it was done to.
  var done: String {
    switch self {
    case .retry, .resume: "queued again"
    case .suspend: "suspended"
    case .cancel: "cancelled"
    }
  }

  /// Why there was nothing to do.
  var nothing: String {
    switch self {
    case .retry: "nothing to retry: none of them has failed or waits"
    case .suspend: "nothing to suspend: none of them waits or is under way"
    case .resume: "nothing to resume: none of them is suspended"
    case .cancel: "nothing to cancel: none of them waits, is under way or has failed"
    }
  }

  /// Why it cannot be done to a transfer, with the cure.
  func refusal(of transfer: Transfer) -> String {
    let what = "transfer \(transfer.number) is \(transfer.status.rawValue)"
    return switch (self, transfer.status) {
    case (.retry, .running): "\(what), which needs no retry"
    case (.retry, .queued): "\(what) and goes first when its turn comes; bgfetch transfers run begins now"
    case (.retry, .finished):
      "\(what); its file is \(transfer.file.map { shownPath($0.path) } ?? "as it was")"
    case (.suspend, .suspended): "\(what) already"
    case (.suspend, _), (.cancel, _): "\(what), which is final"
    case (.resume, .failed), (.resume, .cancelled):
      "\(what); bgfetch transfers retry \(transfer.number) queues it again"
    case (.resume, .finished): "\(what), which is final"
    case (.resume, _): "\(what), and continues by itself"
    default: what
    }
  }
}

/// The transfers that a command changes: those that are named, or all, but never all for want of a name.
struct NamedTransfers: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Transfers by number, or of feeds by name, glob or @tag.", valueName: "transfer"),
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

/// Words that select transfers, told apart.
struct TransferWords: Hashable {
  /// Numbers of transfers, `12` or `#12`.
  let numbers: Set<Int64>
  /// Names, globs and tags of feeds.
  let feeds: [String]

  /// Tells words apart: one of digits only is a number.
  init(_ words: [String]) throws {
    var numbers: Set<Int64> = []
    var feeds: [String] = []
    for word in words {
      let digits = word.hasPrefix("#") ? word.dropFirst() : word[...]
      guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else {
        feeds.append(word)
        continue
      }
      guard let number = Int64(digits) else { throw Self.noTransfer(String(digits)) }
      numbers.insert(number)
    }
    self.numbers = numbers
    self.feeds = feeds
  }

  /// Whether there are none, which means all.
  var isEmpty: Bool { numbers.isEmpty && feeds.isEmpty }

  /// Whether they are one number.
  var isOne: Bool { numbers.count == 1 && feeds.isEmpty }

  /// What is said of a number that no transfer has.
  static func noTransfer(_ number: String) -> ProgramFailure {
    .usage("there is no transfer \(number); bgfetch transfers list --all shows them")
  }
}
