// `bgfetch import` and `bgfetch export`: subscription lists of other programs.

import ArgumentParser
import Config
import Core
import Formats
import Machine
import Store

struct ImportCommand: ProgramCommand {
  static let heading = ("import", "Convert OPML or newsboat's urls file to YAML")

  @OptionGroup var common: ConfigurationOption

  @Argument(help: "The list, or - for standard input.", completion: .file())
  var file: String

  @Flag(help: "Also import feeds that are files on this machine.")
  var allowFiles = false

  @Flag(help: "Also import feeds that run commands, newsboat's exec: and filter:.")
  var allowCommands = false

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let bytes = try invocation.read(file, limit: ByteCount(64 << 20), purpose: "the list", isBelieved: true)
    let entries = try restating(readSubscriptions(bytes)) { (error: SubscriptionListFailure) in
      ProgramFailure.notFound("\(file): \(error.text)")
    }
    return try invocation.finishImport(
      importPlan(entries, takingFiles: allowFiles, takingCommands: allowCommands), of: file)
  }
}

extension Invocation {
  /// Prints what was left out and why, and the feeds.
  fileprivate func finishImport(_ plan: ImportPlan, of file: String) throws -> ExitStatus {
    for remark in plan.remarks { console.say("\(file):\(remark.line): \(remark.kind.text)", .warning) }
    guard !plan.feeds.isEmpty else {
      throw ProgramFailure.notFound("\(file): no feed in it can be imported")
    }
    let text = feedsText(plan.feeds)
    Console.write(text, to: .output)
    console.say(
      counted(plan.feeds.count, "feed") + " printed"
        + (plan.leftOut > 0 ? ", \(plan.leftOut) left out" : "")
        + "; write them to a file, and include: [FILE] into the configuration")
    if text.utf8.count > largestConfiguration.bytes {
      console.say(
        "warning: a configuration has at most \(largestConfiguration.text); split the feeds into several files",
        .warning)
    }
    return .success
  }
}

struct ExportCommand: ProgramCommand {
  static let heading = ("export", "Print the configured feeds as OPML")

  @OptionGroup var common: ConfigurationOption

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: .reading)
    let feeds = state.settings.feeds.all
    let exported = ExportedFeeds(feeds, try await state.store.feedStates(of: feeds.map(\.name)))
    Console.write(opmlText(exported.subscriptions), to: .output)
    for leftOut in exported.leftOut {
      invocation.console.say("\(leftOut.feed): \(leftOut.reason); left out", .warning)
    }
    return .success
  }
}
