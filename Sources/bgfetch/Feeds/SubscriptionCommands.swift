// `bgfetch import` and `bgfetch export`: subscription lists of other programs.

import ArgumentParser
import Config
import Core
import Formats
import Machine
import Store

struct ImportCommand: ProgramCommand {
  static let heading = ("import", "Convert OPML or newsboat's urls file to YAML")

  @OptionGroup var common: CommonOptions

  @Argument(help: "The list, or - for standard input.", completion: .file())
  var file: String

  @Option(
    name: .shortAndLong, help: ArgumentHelp("Write the YAML to this file.", valueName: "file"),
    completion: .configurationFile)
  var output: String?

  @Flag(help: "Also import feeds that are files on this machine.")
  var allowFiles = false

  @Flag(help: "Also import feeds that run commands, newsboat's exec: and filter:.")
  var allowCommands = false

  @Flag(help: "Overwrite the output file.")
  var force = false

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let bytes = try invocation.read(file, limit: ByteCount(64 << 20), purpose: "the list", isBelieved: true)
    let entries = try restating(readSubscriptions(bytes)) { (error: SubscriptionListFailure) in
      ProgramFailure.notFound("\(file): \(error.text)")
    }
    return try invocation.finishImport(
      importPlan(entries, takingFiles: allowFiles, takingCommands: allowCommands), of: file, output: output,
      isForced: force)
  }
}

extension Invocation {
  /// Prints what was left out and why, and writes the feeds.
  fileprivate func finishImport(
    _ plan: ImportPlan, of file: String, output: String?, isForced: Bool
  ) throws -> ExitStatus {
    if !console.isJSON {
      for remark in plan.remarks { console.say("\(file):\(remark.line): \(remark.kind.text)", .warning) }
    }
    guard !plan.feeds.isEmpty else {
      throw ProgramFailure.notFound("\(file): no feed in it can be imported")
    }
    let text = feedsText(plan.feeds)
    if let output { try makeConfigurationDirectory(for: output) }
    if output != nil || !console.isJSON { try write(text, to: output, isForced: isForced) }
    if console.isJSON {
      for feed in plan.feeds { console.print(subscriptionJSON(feed.subscription, name: feed.name)) }
      for remark in plan.remarks {
        console.print(
          JSONValue([
            "type": "remark", "file": file, "line": remark.line, "left-out": remark.kind.leftOut,
            "text": remark.kind.text,
          ]))
      }
      console.print(
        JSONValue(["type": "import", "file": output, "feeds": plan.feeds.count, "left-out": plan.leftOut]))
    } else if !console.isQuiet {
      console.say(
        counted(plan.feeds.count, "feed") + (output == nil ? " printed" : " imported")
          + (plan.leftOut > 0 ? ", \(plan.leftOut) left out" : "")
          + (output == nil ? "; -o feeds.yaml writes them to a file" : ""))
      if let output, let hint = includeHint(output) { console.say(hint) }
    }
    if text.utf8.count > largestConfiguration.bytes {
      console.say(
        "warning: a configuration has at most \(largestConfiguration.text); split the feeds into several files",
        .warning)
    }
    return .success
  }

  /// Creates the directory of the configuration if the output is to be written there; any other path may be a typo.
  fileprivate func makeConfigurationDirectory(for output: String) throws {
    let directory = parent(of: firstConfigurationFile)
    guard parent(of: absolutePath(output)) == directory else { return }
    try makePrivateDirectory(directory)
  }

  /// How to use the imported feeds; nil if the configuration has them already.
  fileprivate func includeHint(_ output: String) -> String? {
    guard output != "-" else { return nil }
    let path = absolutePath(output)
    let loaded = try? configuration()
    let main = loaded?.settings.path ?? firstConfigurationFile
    guard path != main, loaded?.files.contains(where: { fileIdentity($0) == fileIdentity(path) }) != true
    else { return nil }
    let directory = parent(of: main) + "/"
    let named = path.hasPrefix(directory) ? String(path.dropFirst(directory.count)) : path
    return "to use them, write include: [\(named)] into \(main)"
  }
}

struct ExportCommand: ProgramCommand {
  static let heading = ("export", "Print the configured feeds as OPML")

  @OptionGroup var common: CommonOptions

  @Option(
    name: .shortAndLong, help: ArgumentHelp("Write the OPML to this file.", valueName: "file"),
    completion: .file(extensions: ["opml"]))
  var output: String?

  @Flag(help: "Overwrite the output file.")
  var force = false

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: .reading)
    let feeds = state.settings.feeds.all
    let exported = ExportedFeeds(feeds, try await state.store.feedStates(of: feeds.map(\.name)))
    let console = invocation.console
    if output != nil || !console.isJSON {
      try invocation.write(opmlText(exported.subscriptions), to: output, isForced: force)
    }
    if console.isJSON {
      for subscription in exported.subscriptions {
        console.print(subscriptionJSON(subscription, name: nil))
      }
    }
    for leftOut in exported.leftOut {
      console.say("\(leftOut.feed): \(leftOut.reason); left out", .warning)
    }
    return .success
  }
}

func subscriptionJSON(_ subscription: Subscription, name: FeedName?) -> JSONValue {
  JSONValue([
    "type": "subscription", "feed": name, "url": subscription.url, "command": subscription.command,
    "title": subscription.title, "link": subscription.link, "tags": subscription.tags,
  ])
}
