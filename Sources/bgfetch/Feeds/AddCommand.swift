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
    help: ArgumentHelp(
      "The feed's name; default: made from its title. With --watch, CSS selectors of texts, each perhaps as name=selector; "
        + "default: the whole page.", valueName: "name"))
  var names: [String] = []

  @Flag(help: "Watch the text of the page at this address, which need not have a feed.")
  var watch = false

  @Option(name: .customLong("tag"), help: "A tag for the feed; may be repeated.")
  var tags: [String] = []

  @Flag(help: "Download the files of its items, such as episodes.")
  var download = false

  @Option(help: ArgumentHelp("Take this feed if a page has several, counted from 1.", valueName: "number"))
  var choose: Int?

  @Option(help: "Write to this file, which the configuration includes.", completion: .configurationFile)
  var file: String?

  @Flag(help: "Print the entry, and the text to watch, instead of writing it.")
  var dryRun = false

  @Flag(name: .shortAndLong, help: "Say nothing unless it fails.")
  var quiet = false

  var amount: ReportAmount { quiet ? .quiet : .usual }

  func validate() throws {
    if let choose, choose < 1 { throw ValidationError("--choose takes a number from 1 on") }
    for selector in parts.compactMap(\.watched) where !selector.isEmpty {
      _ = try restating(SelectorList(parsing: selector)) { (error: TextProblem) in
        ValidationError("the selector \"\(selector)\" \(error.text)")
      }
    }
    if !watch, let name = names.first { try requireFeedName(name) }
    if names.count > 1, !watch { throw ValidationError("only --watch takes several parts of a page") }
    let own = parts.compactMap(\.name)
    if Set(own).count < own.count { throw ValidationError("two parts have the same name") }
    if let mistake = tags.lazy.compactMap(tagMistake).first { throw ValidationError(mistake) }
  }

  /// The feeds to add: one, or the parts of a page to watch.
  fileprivate var parts: [AddedPart] {
    guard watch, !names.isEmpty else {
      return [AddedPart(name: names.first.flatMap { FeedName($0) }, watched: watch ? "" : nil)]
    }
    return names.map { text in
      // No selector begins with a word and a "=".
      let words = text.split(separator: "=", maxSplits: 1).map(String.init)
      guard words.count == 2, let name = FeedName(words[0]) else { return AddedPart(watched: text) }
      return AddedPart(name: name, watched: words[1])
    }
  }

  func run(_ invocation: Invocation) async throws -> ExitStatus { try await invocation.add(self) }
}

/// Refuses a text that cannot be the name of a feed.
func requireFeedName(_ text: String) throws {
  guard FeedName(text) == nil else { return }
  throw ValidationError("a name has 1 to 100 letters, digits, -, _ and ., a letter or digit first")
}

/// A feed or a part of a page that is to be added.
private struct AddedPart {
  /// The name that the person chose.
  var name: FeedName?
  /// The selector of the text to watch, empty for the whole page; nil for a feed.
  var watched: String?

  func subscription(at url: String) -> Subscription {
    var subscription = Subscription(url: url)
    subscription.watched = watched
    return subscription
  }

  var kind: FeedKind {
    watched.map { .html(HTMLMapping(text: try? SelectorList(parsing: $0))) } ?? .feed
  }
}

/// A feed that is now in the configuration, or would be.
struct AddedFeed {
  var feed: NamedSubscription
  var found: FoundFeed
  /// The file that it is in.
  var file = ""
  /// Its settings; nil if it is not written, or in a new file.
  var spec: FeedSpec?
  /// Whether it was removed before, and its items are still stored.
  var isContinued = false
  /// The file, if it is new.
  var first: FirstConfigurationFile?
}

extension Invocation {
  fileprivate func add(_ order: AddCommand) async throws -> ExitStatus {
    let typed = try typedAddress(order.url)
    // Report every obstacle before anything is fetched.
    let before = try configurationToAddTo(file: order.file, tags: order.tags)
    let feeds = await knownFeeds(before?.settings)
    var chosen: [(part: AddedPart, found: FoundFeed)] = []
    for part in order.parts {
      if let name = part.name { try requireFree(name, feeds) }
      if case .web(let addresses) = typed { try requireUnknown(addresses.map(\.text), part, feeds) }
      let found = try await find(typed, part.kind, before?.settings.network ?? NetworkSettings())
      chosen.append((part, try choose(from: found, order)))
    }
    if order.dryRun {
      var taken = Set(feeds.names)
      var added: [AddedFeed] = []
      for (part, found) in chosen {
        let named = try named(found, part, order, among: feeds, taken: taken)
        taken.insert(named.name)
        added.append(AddedFeed(feed: named, found: found))
      }
      console.show(added)
      return .success
    }
    let zone = try zone(named: nil)
    for (part, found) in chosen {
      console.report(try await retrying { try await write(found, part, order) }, zone: zone)
    }
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

  private func requireUnknown(_ addresses: [String], _ part: AddedPart, _ feeds: FeedList) throws {
    for address in addresses {
      let wanted = ListedSource(part.subscription(at: address))
      guard let feed = feeds.first(where: { ListedSource($0) == wanted }) else { continue }
      throw ProgramFailure.usage(
        "\(cleanText(URIReference(address).masked.text, limit: 300)) is already the feed \(feed.name); nothing was changed"
      )
    }
  }

  private func find(
    _ typed: TypedAddress, _ kind: FeedKind, _ network: NetworkSettings
  ) async throws -> FoundFeeds {
    switch typed {
    case .file(let file): return FoundFeeds(feeds: [try readFeedFile(file, kind, network)])
    case .web(let addresses):
      // This takes seconds: one host gets one request a second.
      if console.error.isTerminal, console.amount != .quiet, !console.isJSON, let first = addresses.first {
        console.say("looking for a \(kind == .feed ? "feed" : "page") at \(first.host)")
      }
      return try await withFeedFinder(network) { finder throws(FindingFailure) in
        try await finder.feeds(of: addresses, as: kind)
      }
    }
  }

  private func readFeedFile(
    _ file: FileAddress, _ kind: FeedKind, _ network: NetworkSettings
  ) throws -> FoundFeed {
    let bytes = try read(file.path, limit: network.maxFeedSize, purpose: "the feed", isBelieved: true)
    let feed = try restating(readFeed(bytes, as: kind, contentType: nil, address: file.text)) {
      (error: FeedReadingFailure) in
      ProgramFailure.notFound("\(file.path): \(FetchFailure.notAFeed(error).text)")
    }
    return FoundFeed(address: file.text, feed)
  }

  /// The feed with its name, tags and downloads.
  private func named(
    _ found: FoundFeed, _ part: AddedPart, _ order: AddCommand, among feeds: FeedList,
    taken: some Sequence<FeedName>
  ) throws -> NamedSubscription {
    try requireUnknown([found.address], part, feeds)
    var naming = FeedNaming(taken: taken)
    guard
      let name = part.name
        ?? naming.name(title: found.title, preferred: found.preferredName, address: found.address)
    else { throw ProgramFailure.usage("the title does not make a name; add one: bgfetch add URL NAME") }
    var subscription = part.subscription(at: found.address)
    subscription.tags = order.tags
    subscription.downloads = order.download
    // The parts of a page would all have the page's title in messages.
    if part.name != nil, part.watched != nil {
      subscription.title = (found.title.map { cleanText($0, limit: 200) + ": " } ?? "") + name.text
    }
    return NamedSubscription(name: name, subscription: subscription)
  }

  /// Writes a feed; nil if the configuration was changed meanwhile.
  private func write(
    _ found: FoundFeed, _ part: AddedPart, _ order: AddCommand
  ) async throws -> AddedFeed? {
    guard let configuration = try configurationToAddTo(file: order.file, tags: order.tags) else {
      let feed = try named(found, part, order, among: [], taken: [])
      let first = try writeFirstConfiguration(with: [feed])
      return AddedFeed(feed: feed, found: found, file: first.path, first: first)
    }
    let feeds = await knownFeeds(configuration.settings)
    let feed = try named(found, part, order, among: feeds, taken: feeds.names)
    if part.name != nil { try requireFree(feed.name, feeds) }
    let (number, text, settings) = try edit(configuration, adding: [feed], to: order.file)
    guard try replace([number: text], of: configuration) else { return nil }
    let spec = settings.feeds.first { $0.name == feed.name }
    return AddedFeed(
      feed: feed, found: found, file: configuration.files[number].name, spec: spec,
      isContinued: await isContinued(spec, settings))
  }

  /// Whether the store has the items of a feed that was removed before, perhaps by another name.
  private func isContinued(_ feed: FeedSpec?, _ settings: Settings) async -> Bool {
    guard let feed, Store.exists(for: settings),
      let store = try? await open(settings, for: .reading).store
    else { return false }
    let traits = FeedTraits(feed)
    let stored = (try? await store.traits(like: [traits])) ?? []
    let former = feedRenames(of: stored, in: [traits]).first?.former ?? feed.name
    let state = try? await store.feedState(former)
    await store.close()
    return state?.hasBaseline ?? false
  }
}
