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
    let entries: [SubscriptionEntry]
    do throws(SubscriptionListFailure) {
      entries = try readSubscriptions(bytes)
    } catch {
      invocation.console.say("bgfetch: \(file): \(subscriptionListText(error))", .error)
      return .allFailed
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
      for remark in plan.remarks { console.say(remarkText(remark, in: file), .warning) }
    }
    guard !plan.feeds.isEmpty else {
      console.say("bgfetch: \(file): no feed in it can be imported", .error)
      return .allFailed
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
            "text": remarkText(remark.kind),
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

/// Why a file is not a subscription list.
func subscriptionListText(_ failure: SubscriptionListFailure) -> String {
  switch failure {
  case .empty: "is empty; a list is OPML or newsboat's urls"
  case .feed: "is a feed, not a list of feeds; write its address into the configuration"
  case .other(let found): "is \(found), not a list of feeds; a list is OPML or newsboat's urls"
  }
}

/// A remark with its place in the list.
func remarkText(_ remark: SubscriptionRemark, in file: String) -> String {
  "\(file):\(remark.line): " + remarkText(remark.kind)
}

func remarkText(_ kind: SubscriptionRemark.Kind) -> String {
  switch kind {
  case .query: "left out: query: searches other feeds, which bgfetch does not do; see bgfetch items --format"
  case .shellCommand(let kind):
    "left out: \(kind): needs a shell; put the command into a script, and write command: [/path/to/script]"
  case .command(let command, false):
    "left out: it runs \(cleanText(command, limit: 100)); use --allow-commands to import it"
  case .command(let command, true): "each fetch runs \(cleanText(command, limit: 100)); imported"
  case .link: "left out: a link to a page or to another list, not a feed"
  case .madeOfPage(let type):
    "left out: \(cleanText(type, limit: 40)): that reader scrapes a page into a feed, which bgfetch cannot; "
      + "if the page is JSON, use kind: json"
  case .commentedOut: "left out: commented out"
  case .noAddress: "left out: it has no address; give it an xmlUrl"
  case .unusableAddress(let address):
    "left out: \"\(cleanText(address, limit: 100))\" is not the address of a feed; write https://…"
  case .credentials(let address):
    "left out: \(cleanText(address, limit: 100)) contains a user name or a password; "
      + "write it into the configuration yourself, with auth: and a secret"
  case .file(let address, false):
    "left out: \(cleanText(address, limit: 100)) is a file on this machine; use --allow-files to import it"
  case .file(let address, true):
    "\(cleanText(address, limit: 100)) is a file on this machine; imported"
  case .privateAddress(let address):
    "\(cleanText(address, limit: 100)) is on this machine or a private network; imported"
  case .duplicate(let address, let name):
    "left out: \(cleanText(address, limit: 100)) is already the address of \(name)"
  case .tooDeep(let count): "left out: \(counted(count, "outline")) nested more than 256 deep"
  case .tooMany(let count):
    "left out: \(counted(count, "more entry", plural: "more entries")) after the first 100000"
  case .hidden: "bgfetch has no hidden feeds, so the ! is ignored; imported"
  case .unwritableTag(let tag):
    "the tag \"\(cleanText(tag, limit: 100))\" cannot be written in Latin letters; imported without it"
  case .cutOff: "the list ends in the middle; complete entries are imported"
  }
}

func subscriptionJSON(_ subscription: Subscription, name: FeedName?) -> JSONValue {
  JSONValue([
    "type": "subscription", "feed": name, "url": subscription.url, "command": subscription.command,
    "title": subscription.title, "link": subscription.link, "tags": subscription.tags,
  ])
}
