// `bgfetch transfers retry`, `suspend`, `resume` and `cancel`.

import ArgumentParser
import Core
import Host
import StateStore

struct TransferRetryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry", abstract: "Queue transfers again that failed, were cancelled or wait")

  @OptionGroup var common: CommonOptions
  @OptionGroup var named: NamedTransfers

  func run() async { await TransferChange.retry.perform(on: named, common) }
}

struct TransferSuspendCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "suspend", abstract: "Stop transfers until they are resumed")

  @OptionGroup var common: CommonOptions
  @OptionGroup var named: NamedTransfers

  func run() async { await TransferChange.suspend.perform(on: named, common) }
}

struct TransferResumeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Let transfers go on that were suspended")

  @OptionGroup var common: CommonOptions
  @OptionGroup var named: NamedTransfers

  func run() async { await TransferChange.resume.perform(on: named, common) }
}

struct TransferCancelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "Give transfers up; what is there of their files is removed")

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
