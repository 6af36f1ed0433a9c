// `bgfetch add`: checks the configuration, finds the feed, chooses and names it, writes it, and reports it.

import ArgumentParser
import Config
import Core
import Formats
import Machine
import Store

struct AddCommand: ProgramCommand {
  static let heading = ("add", "Add a feed to the configuration, by its own address or that of its page")

  @OptionGroup var common: CommonOptions

  @Argument(help: "The address of a feed or of a page that has one, such as lwn.net.")
  var url: String

  @Argument(
    help:
      "The feed's name; default: made from its title. With --watch, a CSS selector of the text; default: the whole page."
  )
  var name: String?

  @Flag(help: "Watch the text of the page at this address, which need not have a feed.")
  var watch = false

  @Option(name: .customLong("tag"), help: "A tag for the feed; may be repeated.")
  var tags: [String] = []

  @Flag(name: .customLong("download"), help: "Download the files of its items, such as episodes.")
  var downloads = false

  @Option(help: ArgumentHelp("Take this feed if a page has several, counted from 1.", valueName: "number"))
  var choose: Int?

  @Option(help: "Write to this file, which the configuration includes.", completion: .configurationFile)
  var file: String?

  @Flag(name: .customLong("print"), help: "Print the entry instead of writing it.")
  var prints = false

  @Flag(name: .shortAndLong, help: "Say nothing unless it fails.")
  var quiet = false

  var amount: ReportAmount { quiet ? .quiet : .usual }

  func validate() throws {
    if let choose, choose < 1 { throw ValidationError("--choose takes a number from 1 on") }
    if let name, watch {
      _ = try restating(SelectorList(parsing: name)) { (error: TextProblem) in
        ValidationError("the selector \"\(name)\" \(error.text)")
      }
    } else if let name {
      try requireFeedName(name)
    }
    if let mistake = tags.lazy.compactMap(tagMistake).first { throw ValidationError(mistake) }
  }

  fileprivate var feedName: FeedName? { watch ? nil : name.flatMap { FeedName($0) } }

  /// The kind of document at the address.
  fileprivate var kind: FeedKind {
    watch ? .html(HTMLMapping(text: name.flatMap { try? SelectorList(parsing: $0) })) : .feed
  }

  func run(_ invocation: Invocation) async throws -> ExitStatus { try await invocation.add(self) }
}

/// Refuses a text that cannot be the name of a feed.
func requireFeedName(_ text: String) throws {
  guard FeedName(text) == nil else { return }
  throw ValidationError("a name has 1 to 100 letters, digits, -, _ and ., a letter or digit first")
}

/// A feed that is now in the configuration, or would be.
struct AddedFeed {
  var feed: NamedSubscription
  var found: FoundFeed
  /// The file that it is in.
  var file = ""
  var firstRun = FirstRun.none
  /// Whether the configuration downloads files of its items.
  var downloads: Bool
  /// The file, if it is new.
  var first: FirstConfigurationFile?
}

extension Invocation {
  fileprivate func add(_ order: AddCommand) async throws -> ExitStatus {
    let typed = try typedAddress(order.url)
    // Report every obstacle before anything is fetched.
    let before = try configurationToAddTo(file: order.file, tags: order.tags)
    let feeds = await knownFeeds(before?.settings)
    if let name = order.feedName { try requireFree(name, feeds) }
    if case .web(let addresses) = typed { try requireUnknown(addresses.map(\.text), feeds) }
    let found = try await find(typed, order.kind, before?.settings.network ?? NetworkSettings())
    let chosen = try choose(from: found, order)
    if order.prints {
      let named = try named(chosen, order, among: feeds)
      console.show(AddedFeed(feed: named, found: chosen, downloads: order.downloads))
      return .success
    }
    let added = try await retrying { try await write(chosen, order) }
    console.report(added, zone: try zone(named: nil))
    return .success
  }

  private func typedAddress(_ text: String) throws -> TypedAddress {
    try restating(TypedAddress(text)) { (error: TypedAddress.Problem) in
      switch error {
      case .credentials(let masked):
        ProgramFailure.usage(
          "\(masked) contains a user name or a password; write the feed into the configuration yourself, with auth: "
            + "and a secret")
      case .unusable(let masked):
        ProgramFailure.usage(
          "\"\(masked)\" is not an address; write an address such as lwn.net or https://…/feed")
      }
    }
  }

  func requireFree(_ name: FeedName, _ feeds: FeedList) throws {
    guard feeds.names.contains(name) else { return }
    throw ProgramFailure.usage("the feed \(name) already exists; choose another name")
  }

  private func requireUnknown(_ addresses: [String], _ feeds: FeedList) throws {
    let wanted = Set(addresses.map(normalized))
    for feed in feeds {
      guard case .plain(let url) = feed.url, wanted.contains(normalized(url)) else { continue }
      throw ProgramFailure.usage(
        "\(cleanText(URIReference(url).masked.text, limit: 300)) is already the feed \(feed.name); nothing was changed"
      )
    }
  }

  private func normalized(_ url: String) -> String { WebAddress(url)?.normalized ?? url }

  private func find(
    _ typed: TypedAddress, _ kind: FeedKind, _ network: NetworkSettings
  ) async throws -> FoundFeeds {
    switch typed {
    case .file(let file): return FoundFeeds(feeds: [try readFeedFile(file, network)])
    case .web(let addresses):
      // This takes seconds: one host gets one request a second.
      if console.error.isTerminal, console.amount != .quiet, !console.isJSON, let first = addresses.first {
        console.say("looking for a \(kind == .feed ? "feed" : "page") at \(first.host)")
      }
      return try await withFeedFinder(network) { finder in
        do throws(FindingFailure) {
          return try await finder.feeds(of: addresses, as: kind)
        } catch {
          throw ProgramFailure.notFound(findingText(error))
        }
      }
    }
  }

  private func readFeedFile(_ file: FileAddress, _ network: NetworkSettings) throws -> FoundFeed {
    let bytes = try read(file.path, limit: network.maxFeedSize, purpose: "the feed", isBelieved: true)
    let feed = try restating(readFeed(bytes, contentType: nil, address: file.text)) {
      (error: FeedReadingFailure) in
      ProgramFailure.notFound("\(file.path): \(FetchFailure.notAFeed(error).text)")
    }
    return FoundFeed(address: file.text, feed)
  }

  /// The feed with its name, tags and downloads.
  private func named(
    _ found: FoundFeed, _ order: AddCommand, among feeds: FeedList
  ) throws -> NamedSubscription {
    try requireUnknown([found.address], feeds)
    var naming = FeedNaming(taken: feeds.names)
    guard
      let name = order.feedName
        ?? naming.name(title: found.title, preferred: found.preferredName, address: found.address)
    else { throw ProgramFailure.usage("the title does not make a name; add one: bgfetch add URL NAME") }
    var subscription = Subscription(url: found.address, tags: order.tags)
    subscription.downloads = order.downloads
    subscription.watched = order.watch ? order.name ?? "" : nil
    return NamedSubscription(name: name, subscription: subscription)
  }

  /// Writes a feed; nil if the configuration was changed meanwhile.
  private func write(_ found: FoundFeed, _ order: AddCommand) async throws -> AddedFeed? {
    guard let configuration = try configurationToAddTo(file: order.file, tags: order.tags) else {
      let feed = try named(found, order, among: [])
      let first = try writeFirstConfiguration(with: [feed])
      return AddedFeed(
        feed: feed, found: found, file: first.path, downloads: order.downloads, first: first)
    }
    let feeds = await knownFeeds(configuration.settings)
    let feed = try named(found, order, among: feeds)
    if order.feedName != nil { try requireFree(feed.name, feeds) }
    let (number, text, settings) = try edit(configuration, adding: [feed], to: order.file)
    guard try replace([number: text], of: configuration) else { return nil }
    let added = settings.feeds.first { $0.name == feed.name }
    return AddedFeed(
      feed: feed, found: found, file: configuration.files[number].name, firstRun: added?.firstRun ?? .none,
      downloads: added?.download != nil)
  }
}
