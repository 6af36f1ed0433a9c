// `bgfetch transfers add`.

import ArgumentParser
import Core
import Host
import StateStore

struct TransferAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Queue the files of items that are known already")

  @OptionGroup var common: CommonOptions

  @Argument(help: "The feed.", completion: .feedNames)
  var feed: String

  @Option(help: ArgumentHelp("The files of the newest so many items that have any.", valueName: "number"))
  var latest: Int?

  @Option(help: ArgumentHelp("The files of the item with this id; may be given again.", valueName: "id"))
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
          "nothing to queue: the files of those items of \(spec.name) are there or on their way, or there are none"
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
      "\(feed.name) is of kind asset, and its fetch is the transfer; use bgfetch run \(feed.name)")
  }
  if feed.transferDownload == nil {
    throw ProgramFailure.usage(
      "\(feed.name) has no download; write download: {} below it in the configuration")
  }
}
