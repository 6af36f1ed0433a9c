// `bgfetch import`.

import ArgumentParser
import Config
import Core
import FeedReading

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Make feeds of OPML or of newsboat's list, as YAML")

  @OptionGroup var common: CommonOptions

  @Argument(help: ArgumentHelp("The list; - is standard input.", valueName: "file"), completion: .file())
  var file: String

  @Option(
    name: .shortAndLong, help: ArgumentHelp("Where to write the YAML.", valueName: "file"),
    completion: .configurationFile)
  var output: String?

  @Flag(help: "Take feeds that are files of this machine, too.")
  var allowFiles = false

  @Flag(help: "Replace the file that is to be written.")
  var force = false

  func run() async {
    await Invocation.perform(common) { invocation in
      let bytes = try invocation.read(file, limit: ByteCount(64 << 20), purpose: "the list", isBelieved: true)
      let entries: [SubscriptionEntry]
      do throws(SubscriptionListFailure) {
        entries = try readSubscriptions(bytes)
      } catch {
        invocation.console.say("bgfetch: \(file): \(subscriptionListText(error))", .error)
        return .allFailed
      }
      return try invocation.conclude(
        importPlan(entries, takingFiles: allowFiles), of: file, output: output, isForced: force)
    }
  }
}

extension Invocation {
  /// Says what was left out and why, and hands over the feeds.
  fileprivate func conclude(
    _ plan: ImportPlan, of file: String, output: String?, isForced: Bool
  ) throws -> ExitStatus {
    if !console.isJSON {
      for remark in plan.remarks { console.say(remarkText(remark, in: file), .warning) }
    }
    guard !plan.feeds.isEmpty else {
      console.say("bgfetch: \(file): there is no feed in it that can be taken", .error)
      return .allFailed
    }
    let text = feedsText(plan.feeds)
    if output != nil || !console.isJSON { try write(text, to: output, isForced: isForced) }
    if console.isJSON {
      for feed in plan.feeds { console.print(subscriptionJSON(feed.subscription, name: feed.name)) }
      for remark in plan.remarks { console.print(remarkJSON(remark, in: file)) }
      console.print(importJSON(plan, output: output))
    } else if !console.isQuiet {
      console.say(importSummary(plan))
    }
    if text.utf8.count > largestConfiguration.bytes {
      console.say(
        "warning: a configuration has at most 8 MiB; divide the feeds among several files",
        .warning)
    }
    return .success
  }
}
