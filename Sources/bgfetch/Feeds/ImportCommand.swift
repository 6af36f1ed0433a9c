// `bgfetch import`: the feeds of other programs, with the items that they have stored and their marks.

import ArgumentParser
import Config
import Core
import Formats
import Machine
import Store

struct ImportCommand: ProgramCommand {
  static let heading = ("import", "Add the feeds of another program to the configuration")

  @OptionGroup var common: ConfigurationOption

  @Argument(help: "Files of the other program, or - for standard input.", completion: .file())
  var files: [String]

  @Flag(help: "Download the files of later items, such as episodes.")
  var download = false

  @Option(help: "Write to this file, which the configuration includes.", completion: .configurationFile)
  var file: String?

  @Flag(help: "Print the entries instead of writing them.")
  var print = false

  @Flag(help: "Also import feeds that are files on this machine.")
  var allowFiles = false

  @Flag(help: "Also import feeds that run commands, newsboat's exec: and filter:.")
  var allowCommands = false

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let sources = try ImportSources(files, read: invocation.readOtherProgram)
    let lock = try await print ? nil : invocation.runLock(for: sources)
    defer { lock?.release() }
    let lists = try await invocation.retrying { try await invocation.importFeeds(of: sources, self) }
    for line in lists.remarks { invocation.console.say(line, .warning) }
    let paused = lists.plan.feeds.filter(\.subscription.isPaused).map(\.name)
    var took = print ? [] : try await invocation.takeItems(of: sources, pausing: paused, lock)
    if !paused.isEmpty {
      let names = paused.map(\.text)
      took.append(
        print
          ? "paused in the other program: bgfetch pause \(names.joined(separator: " "))"
          : "\(list(names, "and")): paused, as in the other program, until bgfetch resume")
    }
    guard lists.plan.feeds.count + lists.plan.known + lists.queries + took.count > 0 else {
      throw ProgramFailure.notFound("\(list(files, "and")): nothing in it can be imported")
    }
    for line in [lists.summary] + took + lists.nextSteps {
      print ? invocation.console.say(line) : invocation.console.print(line)
    }
    return .success
  }
}

/// The content of the files of an import.
struct ImportSources {
  var lists: [(file: String, entries: [SubscriptionEntry])] = []
  /// The paths of newsboat's caches.
  var caches: [String] = []
  /// The mailed items of each feed.
  var seenItems: [ListedSource: MailedItems] = [:]

  var hasItems: Bool { !caches.isEmpty || !seenItems.isEmpty }

  init(_ files: [String], read: (String) throws -> OtherProgramFile?) throws {
    var seen: [String: MailedItems] = [:]
    var checks = ImportedKeys()
    for file in files {
      switch try read(file) {
      case .subscriptions(let entries): lists.append((file, checks.checked(entries)))
      case .watchList(let text):
        let entries = try restating(readWatchList(text)) { (error: SubscriptionListFailure) in
          ProgramFailure.notFound("\(file): \(error.text)")
        }
        lists.append((file, entries))
      case .seenItems(let items): seen.merge(items) { $1 }
      case nil: caches.append(file)
      }
    }
    for case .feed(let subscription, _) in lists.flatMap(\.entries) {
      guard let name = subscription.name, let items = seen.removeValue(forKey: name) else { continue }
      seenItems[ListedSource(subscription)] = items
    }
    guard seen.isEmpty else {
      throw ProgramFailure.usage(
        "\(list(seen.keys.sorted().prefix(5).map { cleanText($0, limit: 40) }, "and")): no feed of these names is in "
          + "the same import; write rss2email.cfg before its database")
    }
  }
}

/// The outcome of the lists of an import.
private struct ImportedLists {
  var plan: ImportPlan
  /// The lines about entries, with file and line.
  var remarks: [String]
  /// The file with the feeds; nil if they were printed, or there are none.
  var file: String?
  var first: FirstConfigurationFile?
  /// Whether pages are looked at as often as without a key.
  var isUsualInterval = true

  var queries: Int { plan.remarks.count(where: \.kind.isQuery) }

  private var isPrinted: Bool { file == nil && !plan.feeds.isEmpty }

  /// How many were imported of each kind, were there already, and were left out.
  var summary: String {
    let imported = NamedSubscription.Kind.allCases.compactMap { kind -> String? in
      let count = plan.feeds.count { $0.kind == kind }
      return count == 0 ? nil : counted(count, kind.rawValue, plural: kind.plural)
    }
    var parts = [
      imported.isEmpty
        ? "nothing new"
        : "\(isPrinted ? "printed" : "imported") \(list(imported, "and"))\(file.map { " into " + $0 } ?? "")"
    ]
    if plan.known > 0 { parts.append("\(plan.known) there already") }
    if queries > 0 { parts.append("\(counted(queries, "query", plural: "queries")) answered above") }
    if plan.leftOut > 0 { parts.append("\(plan.leftOut) left out, for the reasons above") }
    return parts.joined(separator: "; ")
  }

  var nextSteps: [String] {
    guard !isPrinted else { return ["write them to a file, and include: [FILE] into the configuration"] }
    var steps: [String] = []
    if let podcast = plan.feeds.first(where: { $0.kind == .podcast }) {
      steps.append(
        "later episodes are downloaded; for an earlier one: bgfetch transfers add \(podcast.name) --limit 1")
    }
    if isUsualInterval, plan.feeds.contains(where: { $0.kind == .page }) {
      steps.append(usualIntervalOfPages)
    }
    return steps + (first?.nextSteps ?? ["next: bgfetch run"])
  }
}

extension NamedSubscription {
  fileprivate enum Kind: String, CaseIterable {
    case feed, podcast
    case page = "page to watch"
    case command

    var plural: String { self == .page ? "pages to watch" : rawValue + "s" }
  }

  fileprivate var kind: Kind {
    !subscription.command.isEmpty
      ? .command : subscription.watched != nil ? .page : subscription.downloads ? .podcast : .feed
  }
}

/// How often a watched page is fetched, which people who add one want to know.
let usualIntervalOfPages =
  "a page is looked at once a day, or hourly if its server tells changes; minimum-interval changes that"

extension FeedSpec {
  /// Whether no key says how often it is fetched.
  var hasUsualInterval: Bool { minimumInterval == nil && schedule.isEmpty }
}

extension Invocation {
  /// Reads a file of another program; nil for a cache of newsboat.
  fileprivate func readOtherProgram(_ file: String) throws -> OtherProgramFile? {
    if file != "-" {
      _ = try naming("the list") { () throws(FileFailure) in try FileSafety.require(file) }
      do {
        _ = try NewsboatCache(file)
        return nil
      } catch StoreFailure.foreign {
        throw ProgramFailure.notFound("\(file): is a database, but not newsboat's cache")
      } catch {
        // It is no database.
      }
    }
    let bytes = try read(file, limit: ByteCount(64 << 20), purpose: "the list", isBelieved: true)
    return try restating(Formats.readOtherProgram(bytes)) { (error: SubscriptionListFailure) in
      ProgramFailure.notFound("\(file): \(error.text)")
    }
  }

  /// Keeps runs of this machine away while items are taken over; nil without items or a configuration.
  ///
  /// A run takes the first document of a feed that it plans before that for the first one ever, and its commit writes the state of
  /// the plan over what was taken meanwhile.
  fileprivate func runLock(for sources: ImportSources) async throws -> FileLock? {
    guard sources.hasItems, let settings = try? configuration().settings else { return nil }
    try makeStateDirectory(settings)
    // The run that called a hook may wait for the hook.
    if isInHook { return try acquire(settings.runLock) }
    if let lock = try FileLock.tryAcquire(settings.runLock, clock: clock) { return lock }
    console.say("waiting for a run to end\(holderText(LockHolder(settings.runLock)))")
    return try await FileLock.acquire(settings.runLock, clock: clock)
  }

  /// Writes the feeds that the configuration does not have, or prints them; nil if it was changed meanwhile.
  fileprivate func importFeeds(of sources: ImportSources, _ order: ImportCommand) async throws
    -> ImportedLists?
  {
    let configuration =
      sources.lists.isEmpty && order.file == nil
      ? nil : try configurationToAddTo(file: order.file)
    var planning = ImportPlanning(
      among: await knownFeeds(configuration?.settings), takesFiles: order.allowFiles,
      takesCommands: order.allowCommands, home: home)
    var remarks: [(file: String, remark: SubscriptionRemark)] = []
    for (file, entries) in sources.lists {
      let before = planning.plan.remarks.count
      planning.add(entries)
      remarks += planning.plan.remarks.dropFirst(before).map { (file: file, remark: $0) }
    }
    var plan = planning.plan
    let settings = plan.remarks.compactMap(\.kind.setting)
    let keep = settings.compactMap(\.keep).first
    for index in plan.feeds.indices {
      let kind = plan.feeds[index].kind
      guard kind == .podcast || kind == .feed && order.download else { continue }
      plan.feeds[index].subscription.downloads = true
      plan.feeds[index].subscription.hasFiles = true
      if let keep { plan.feeds[index].subscription.keys["download.keep"] = .string(keep) }
    }
    // A first configuration gets the hook and the directory; another one may have them.
    let isFirst = configuration == nil && !order.print && !plan.feeds.isEmpty
    let told = remarks.filter { remark in
      guard let setting = remark.remark.kind.setting, setting.keep == nil else { return true }
      return !isFirst && configuration.map { setting.isPart(of: $0.settings, home: home) } != true
    }
    var lists = ImportedLists(
      plan: plan, remarks: told.map { "\($0.file):\($0.remark.line): \($0.remark.kind.text)" })
    guard !plan.feeds.isEmpty else { return lists }
    guard !order.print else {
      Console.write(feedsText(plan.feeds), to: .output)
      return lists
    }
    guard let configuration else {
      lists.first = try writeFirstConfiguration(
        with: plan.feeds, mail: settings.compactMap(\.mail).first,
        documents: settings.compactMap(\.documents).first)
      lists.file = lists.first?.path
      return lists
    }
    let (number, text, after) = try edit(configuration, adding: plan.feeds, to: order.file)
    guard try replace([number: text], of: configuration) else { return nil }
    let pages = Set(plan.feeds.filter { $0.kind == .page }.map(\.name))
    lists.file = configuration.files[number].name
    lists.isUsualInterval = after.feeds.first { pages.contains($0.name) }?.hasUsualInterval ?? true
    return lists
  }

  /// Takes over the items and marks of the other program, of configured feeds; returns lines about them.
  fileprivate func takeItems(
    of sources: ImportSources, pausing paused: [FeedName], _ lock: FileLock?
  ) async throws -> [String] {
    guard sources.hasItems || !paused.isEmpty else { return [] }
    let state: OpenedState
    do {
      state = try await openState(for: .writing, holding: lock)
    } catch ProgramFailure.noConfiguration {
      throw ProgramFailure.notFound(
        "\(list(sources.caches, "and")): has articles, but not the list of feeds; import newsboat's urls with it"
      )
    }
    let now = try await state.storeTime()
    if !paused.isEmpty { try await state.store.pause(paused, until: nil, at: now) }
    var feeds: [ListedSource: [FeedSpec]] = [:]
    for feed in state.settings.feeds {
      if let source = ListedSource(feed) { feeds[source, default: []].append(feed) }
    }
    var lines: [String] = []
    for path in sources.caches { lines += try await state.take(cache: path, of: feeds, at: now) }
    if !sources.seenItems.isEmpty {
      lines += try await state.take(mailed: sources.seenItems, of: feeds, at: now)
    }
    _ = try await state.updateBadge()
    await state.store.close()
    return lines
  }
}

extension OpenedState {
  /// Takes over the articles of a cache of newsboat.
  fileprivate func take(
    cache path: String, of feeds: [ListedSource: [FeedSpec]], at now: Instant
  ) async throws -> [String] {
    let cache = try NewsboatCache(path)
    var count = 0
    var others = 0
    var unread = 0
    var sum = (new: 0, seen: 0, unseen: 0, starred: 0)
    for address in cache.feeds {
      let source = newsboatSubscription(address).map { ListedSource($0, home: invocation.home) }
      let known = source.flatMap { feeds[$0] } ?? []
      others += known.isEmpty ? 1 : 0
      for feed in known {
        let items = TakenItems(
          try cache.items(of: address), known: try await store.knownItems(feed.name), feed: feed)
        let took = try await store.take(items, of: feed.name, configured: settings.feedNames, at: now)
        guard took != (0, 0, 0, 0) else { continue }
        count += 1
        unread += items.new.count { !$0.isSeen }
        sum.new += took.new
        sum.seen += took.seen
        sum.unseen += took.unseen
        sum.starred += took.starred
      }
    }
    let marks =
      "\(counted(sum.new, "article")) of \(counted(count, "feed")), \(unread) of them unread; "
      + "\(counted(sum.starred, "star")); \(sum.seen) more marked as seen"
      + (sum.unseen > 0 ? ", \(sum.unseen) as unseen" : "")
    let lines = ["\(path): " + (count == 0 ? "no new articles or marks" : marks)]
    return others == 0
      ? lines
      : lines + [
        "\(path): \(counted(others, "more feed")) not in the configuration; import newsboat's urls"
      ]
  }

  /// Takes over what rss2email has mailed.
  fileprivate func take(
    mailed: [ListedSource: MailedItems], of feeds: [ListedSource: [FeedSpec]], at now: Instant
  ) async throws -> [String] {
    var count = 0
    var (unknown, partly): ([String], [String]) = ([], [])
    for (source, mailedItems) in mailed {
      for feed in feeds[source] ?? [] {
        let known = try await store.knownItems(feed.name)
        let items = TakenItems(seenIDs: mailedItems.ids, known: known)
        if mailedItems.sums > 0, mailedItems.ids.isEmpty, known.isEmpty { unknown.append(feed.name.text) }
        guard !items.new.isEmpty else { continue }
        if mailedItems.sums > 0 { partly.append(feed.name.text) }
        try await store.take(items, of: feed.name, configured: settings.feedNames, at: now)
        count += items.newIDs
      }
    }
    var lines = ["\(counted(count, "mailed item")) will not be announced again"]
    // An item that may be new is announced rather than lost; a feed without any mark begins as any new feed does.
    if !partly.isEmpty {
      lines.append(
        "\(list(partly.sorted(), "and")): some mailed items have no id there, and are announced again if the feed still has them"
      )
    }
    if !unknown.isEmpty {
      lines.append(
        "\(list(unknown.sorted(), "and")): no mailed item has an id there, so what the first run finds counts as mailed; "
          + "to announce it: first-run: all")
    }
    return lines
  }
}
