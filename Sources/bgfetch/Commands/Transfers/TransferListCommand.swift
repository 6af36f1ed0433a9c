// `bgfetch transfers list`.

public import ArgumentParser
public import Core
import Host
import StateStore

struct TransferListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List transfers; one that is named by its number in full")

  @OptionGroup var common: CommonOptions

  @Argument(
    help: ArgumentHelp(
      "Transfers by number, or those of feeds by name, glob or @tag; all of them for none.",
      valueName: "transfer"),
    completion: .feedNames)
  var transfers: [String] = []

  @Flag(help: "Settled ones, too: those that are finished, failed or cancelled.")
  var all = false

  @Option(help: ArgumentHelp("Only those that are so far; may be given again.", valueName: "status"))
  var status: [TransferStatus] = []

  @Option(help: ArgumentHelp("Only the first so many of the list.", valueName: "number"))
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
