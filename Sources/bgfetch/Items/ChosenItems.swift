// The items that a command works on: what a person names, and the options that choose among them.

import ArgumentParser
import Core
import Machine
import Store

/// The items that a command works on.
///
/// All commands for items have these arguments and options.
struct ChosenItems: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Items by number or range, such as 99-101, or those of feeds by name, glob or @tag.", valueName: "item"),
    completion: .feedNames)
  var words: [String] = []

  @Flag(help: "Items of all feeds.")
  var all = false

  @Flag(help: "Only unseen items.")
  var unseen = false

  @Flag(help: "Only starred items.")
  var starred = false

  @OptionGroup var newest: NewestOptions

  @Option(help: ArgumentHelp("Only items dated before then, for example 3d.", valueName: "when"))
  var olderThan: String?

  @Option(
    help: ArgumentHelp(
      "Only items with these words in title, author, summary or content; the last word may be incomplete.",
      valueName: "words"))
  var search: String?

  func validate() throws {
    if let search, !search.unicodeScalars.contains(where: { $0.properties.isAlphabetic || ("0"..."9") ~= $0 })
    {
      throw ValidationError("--search takes words, for example --search 'linux kernel'")
    }
    if all, !words.isEmpty { throw ValidationError("write items or --all, not both") }
  }

  /// Refuses a command line that names nothing, so that no command changes all items because a word is missing.
  func requireNames() throws {
    guard all || !words.isEmpty else {
      throw ValidationError("name items by number, or feeds, or write --all; bgfetch items shows both")
    }
  }

  /// Whether an option chooses among the named items.
  var isSelective: Bool { unseen || isBySubject }

  var limit: Int? { newest.limit }

  /// Why a command that looks for all items has found none.
  var nothingThere: String { isBySubject ? "no such items" : "no items yet; bgfetch run fetches" }

  /// Why a command that looks for unseen items has found none.
  var nothingFound: String { isBySubject ? noSuchItems : "these feeds have no unseen items" }

  /// Whether an option chooses items that may be seen already.
  var isBySubject: Bool { starred || newest.since != nil || olderThan != nil || search != nil }

  /// The named feeds; nil if nothing is named, which means all feeds.
  func feeds(of settings: Settings) throws -> [FeedName]? {
    guard let names = feedWords(settings) else { return nil }
    return names.isEmpty ? [] : try selectedFeeds(names, from: settings.feeds).map(\.name)
  }

  /// The words that select feeds; nil if nothing is named.
  fileprivate func feedWords(_ settings: Settings) -> [String]? {
    words.isEmpty ? nil : words.filter { itemNumbers($0, settings) == nil }
  }

  /// The items to list of feeds: the standard ones of the command, unless an option says otherwise.
  fileprivate func query(_ standard: ItemQuery, now: Instant, in zone: Zone) throws -> ItemQuery {
    var query = standard
    if isBySubject { query.unseenOnly = false }
    if unseen { query.unseenOnly = true }
    if starred { query.starredOnly = true }
    query.since = try newest.beginning(now: now, in: zone)
    query.before = try olderThan.map { try pastMoment($0, of: "--older-than", now: now, in: zone) }
    query.words = search
    query.limit = limit ?? standard.limit
    return query
  }
}

/// The message if no item is as the options say.
let noSuchItems = "there are no such items"

/// The numbers that a word for items means: `12` and `#12` are one, `12-15` are all between; nil for another word.
///
/// A feed may be named `12`; the number of an item then needs its `#`.
func itemNumbers(_ word: String, _ settings: Settings) -> ClosedRange<Int64>? {
  if let name = FeedName(word), settings.feedNames.contains(name) { return nil }
  return numberRange(word)
}

extension OpenedState {
  /// The numbers of the chosen items: first the ones that are named by number, then those of feeds, newest first.
  ///
  /// - Parameter standard: what the command chooses of feeds unless an option says otherwise. It does not apply to items that
  ///   are named by number.
  /// - Throws: a usage error for a number that no item has, and for a word that selects no feed.
  func numbers(of chosen: ChosenItems, _ standard: ItemQuery) async throws -> [Int64] {
    var query = try chosen.query(standard, now: clock.now(), in: try zone())
    var found: [Int64] = []
    for word in chosen.words {
      guard let range = itemNumbers(word, settings) else { continue }
      let numbers = try await store.itemNumbers(in: range, among: settings.feedNames)
      guard !numbers.isEmpty else {
        throw ProgramFailure.usage("there is no item \(word); bgfetch items shows the numbers")
      }
      found += numbers
    }
    if chosen.isSelective, !found.isEmpty {
      var named = query
      named.numbers = found
      named.limit = nil
      named.unseenOnly = chosen.unseen
      named.starredOnly = chosen.starred
      found = try await store.itemNumbers(named, among: settings.feedNames)
    }
    query.feeds =
      if chosen.starred, let words = chosen.feedWords(settings), !words.isEmpty {
        try await selectedNames(words)
      } else {
        try chosen.feeds(of: settings)
      }
    if query.feeds != [] {
      found += try await store.itemNumbers(query, among: settings.feedNames)
    }
    var known: Set<Int64> = []
    found.removeAll { !known.insert($0).inserted }
    return chosen.limit.map { Array(found.prefix($0)) } ?? found
  }

  /// The numbers of the chosen items, or for a person, if nothing is unseen, those of the newest ones of the feeds.
  func numbers(
    of chosen: ChosenItems, _ standard: ItemQuery, orNewest count: Int
  ) async throws -> (numbers: [Int64], areNewest: Bool) {
    let found = try await numbers(of: chosen, standard)
    guard found.isEmpty, console.showsTables, !chosen.isBySubject else { return (found, false) }
    var chosen = chosen
    chosen.unseen = false
    let newest = try await numbers(of: chosen, ItemQuery(limit: count))
    return (newest, !newest.isEmpty)
  }

  /// The items to read or open: unseen ones, or else, for a person who has not asked for these, the newest one of the feeds.
  func itemsToRead(_ chosen: ChosenItems, limit: Int) async throws -> [StoredItem] {
    let query = ItemQuery(unseenOnly: true, limit: limit)
    let (numbers, areNewest) =
      chosen.unseen
      ? (try await numbers(of: chosen, query), false)
      : try await numbers(of: chosen, query, orNewest: 1)
    if areNewest { console.say("nothing is unseen, so this is the newest; bgfetch items lists more") }
    return try await store.items(numbered: numbers)
  }

  /// Records that the person has looked at a list of chosen items.
  ///
  /// A user who may only read the state still gets the list; no opening is recorded then.
  func recordListing(of chosen: ChosenItems) async {
    guard let state = try? await invocation.open(settings, for: .writing) else { return }
    try? await state.recordOpening(of: chosen.feeds(of: settings))
    await state.store.close()
  }
}

/// The items that a command shows one after the other: each is seen once it was shown, and one undo takes all back.
final class SeenItems {
  private let state: OpenedState
  private var feeds: Set<FeedName> = []
  private let count: Int
  private var marked = 0

  init(_ state: OpenedState, of count: Int) { (self.state, self.count) = (state, count) }

  /// Marks an item that was shown.
  func record(_ item: StoredItem) async throws {
    feeds.insert(item.feed)
    marked += try await state.store.markSeen(
      [item.number], configured: state.settings.feedNames, isContinued: marked > 0)
  }

  /// Records that the person looked at the feeds, and updates the badge.
  func end() async throws {
    guard !feeds.isEmpty else { return }
    try await state.recordOpening(of: Array(feeds))
    _ = try await state.updateBadge()
    if marked > 0, count > 1, state.console.showsTables {
      state.console.say("marked \(counted(marked, "item")) as seen; bgfetch undo takes that back")
    }
  }
}
