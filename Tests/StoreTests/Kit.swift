// Shared by the tests of this module: a temporary directory, a store in it, and values with defaults.

import Core
import Glibc
import Machine
import Synchronization
import TestKit
import Testing

@testable import Fleet
@testable import Store

/// A directory that is removed after the test.
///
/// A store may outlive it: open files stay usable after unlink(2).
final class TemporaryDirectory: Sendable {
  private let whole: TestKit.TemporaryDirectory
  var path: String { whole.path }

  init() throws { whole = try TestKit.TemporaryDirectory() }

  deinit { Server.drop(path) }

  /// How failures name the store.
  var database: String { Server.isUsed ? Server.shownName(of: path) : path + "/bgfetch.db" }

  /// The names of the files in it, in order.
  var names: [String] { entries(of: path).sorted() }

  /// The permission bits of a file.
  func mode(_ name: String) throws -> UInt32 {
    var facts = stat()
    guard stat(path + "/" + name, &facts) == 0 else { throw Problem("no \(name)") }
    return facts.st_mode & 0o777
  }

  func write(_ bytes: [UInt8], to name: String) throws { try whole.write(bytes, to: name) }

  func bytes(of name: String) throws -> [UInt8] { try readFile(whole.file(name)) }

  /// Opens the store of this directory; in a run of the tests over PostgreSQL, the store of a database of its own.
  func open(_ mode: StoreMode = .writing) throws -> Store {
    guard Server.isUsed else { return try Store.open(path, mode: mode) }
    return try Store.open(
      try Server.database(for: path), directory: path, on: ActorThread(), clock: ContinuousClock())
  }
}

/// A suite whose tests each have a new directory.
class DirectorySuite {
  let directory: TemporaryDirectory

  init() async throws { directory = try TemporaryDirectory() }
}

/// A suite whose tests each have a new store, and names for its feeds.
class StoreSuite {
  let directory: TemporaryDirectory
  let store: Store
  let planet: FeedName
  let other: FeedName

  init() async throws {
    directory = try TemporaryDirectory()
    store = try directory.open()
    planet = try name("planet")
    other = try name("other")
  }
}

extension Store {
  /// Commits a fetch that belongs to no run, and says nothing about the next one.
  @discardableResult
  func commit(_ commit: FeedCommit, configured: FeedNames = []) async throws -> [Int64]? {
    try await self.commit(commit, round: nil, nextDue: nil, configured: configured)
  }

  /// Records that feeds are in flight that were planned just before.
  func recordAttempts(
    _ feeds: [FeedName], round: Int64, at now: Instant, hosts: Set<String> = []
  ) async throws {
    let states = try feedStates(of: feeds)
    try await recordAttempts(feeds.map { ($0, states[$0]?.number) }, round: round, at: now, hosts: hosts)
  }

  /// The state of a feed, without its number.
  func writtenState(_ feed: FeedName) throws -> FeedState? {
    var state = try feedState(feed)
    state?.number = nil
    return state
  }

  /// Claims the next delivery of a hook, and ends it.
  @discardableResult
  func endNext(_ hook: String = "desktop", _ end: DeliveryEnd = DeliveryEnd(.delivered)) throws -> Delivery {
    let delivery = try #require(try nextDelivery(hook, at: now))
    try finishDelivery(delivery.number, end, at: now)
    return delivery
  }

  /// Opens the store of a directory on a thread of its own.
  static func open(_ directory: String, mode: StoreMode) throws -> Store {
    try open(directory, mode: mode, on: ActorThread(), patience: .seconds(60))
  }

  func copyForSimulation(to directory: String) throws -> Store {
    try copyForSimulation(to: directory, on: ActorThread())
  }

  func isQuiet(_ fingerprint: UInt64, at now: Instant) throws -> Bool {
    try database.isQuiet(fingerprint, at: now)
  }
}

/// The PostgreSQL server on which the tests of this module run instead of files, if BGFETCH_TEST_POSTGRES names one.
///
/// Every test here runs on both engines, except tests about files.
enum Server {
  private static let place = getenv("BGFETCH_TEST_POSTGRES").map { String(cString: $0) }
  static var isUsed: Bool { place != nil }

  /// A database with the tables of the store, copied for each test.
  private static let template: Result<String, any Error> = Result {
    let name = "template_\(getpid())"
    try execute("CREATE DATABASE \(name)", in: "postgres")
    // Without the partitions of days, so that rows are deleted by the clock of the tests.
    _ = try PostgresSchema.prepare(PostgresConnection(settings(name), isPatient: true))
    return name
  }

  /// The database of a directory, made when it is first asked for.
  static func database(for path: String) throws -> PostgresSettings {
    let name = name(path)
    let isMade = made.withLock { made in made.insert(name).inserted }
    if isMade { try execute("CREATE DATABASE \"\(name)\" TEMPLATE \(try template.get())", in: "postgres") }
    return settings(name)
  }

  /// A line to the server.
  static func line() throws -> DatabaseLine { try DatabaseLine(to: place ?? "") }

  /// The database of a directory, by a line.
  static func database(for path: String, by line: DatabaseLine) throws -> PostgresSettings {
    _ = try database(for: path)
    return PostgresSettings(connection: "\(line.place) dbname=\(name(path))", name: "bgfetch tests")
  }

  /// Removes the databases of directories that are gone, except of stores that outlive their directory.
  static func drop(_ path: String) {
    let name = name(path)
    guard made.withLock({ $0.contains(name) }) else { return }
    let left = unused.withLock { unused in
      unused.insert(name)
      return unused
    }
    guard let server = try? Database(PostgresConnection(settings("postgres"))) else { return }
    for name in left {
      // Where somebody is connected, the server would wait.
      let isUsed = (try? server.exists("SELECT 1 FROM pg_stat_activity WHERE datname = ?1", name)) ?? true
      guard !isUsed, unused.withLock({ $0.remove(name) }) != nil else { continue }
      try? server.execute("DROP DATABASE \"\(name)\"")
    }
  }

  private static let unused = Mutex<Set<String>>([])

  private static let made = Mutex<Set<String>>([])

  private static func name(_ path: String) -> String { String(path.split(separator: "/").last ?? "test") }

  static func shownName(of path: String) -> String {
    let host = place?.split(separator: " ").first { $0.hasPrefix("host=") }?.dropFirst(5) ?? ""
    return "PostgreSQL at \(host), database \(name(path))"
  }

  private static func settings(_ database: String) -> PostgresSettings {
    PostgresSettings(connection: "\(place ?? "") dbname=\(database)", name: "bgfetch tests")
  }

  static func execute(_ sql: String, in database: String) throws {
    let connection = try PostgresConnection(settings(database), isPatient: true)
    // To copy a database takes long beside other tests.
    try connection.execute("SET statement_timeout = 0")
    try connection.execute(sql)
  }
}

extension Trait where Self == ConditionTrait {
  /// The trait of a test about files of SQLite, which says nothing about PostgreSQL.
  static var onFile: Self { .enabled(if: !Server.isUsed, "about files of SQLite") }
}

struct Problem: Error {
  init(_ text: String) { self.text = text }
  let text: String
}

extension Store {
  /// Runs SQL on the store's connection, for states that the store itself never produces.
  func execute(_ sql: String) throws {
    try database.execute(Server.isUsed ? PostgresText.statement(sql) : sql)
  }

  func number(_ sql: String) throws -> Int? { try database.value(sql) }

  func numbers(_ sql: String) throws -> [Int] { try database.rows(sql) }

  /// The states of all feeds that were ever requested, including dormant ones.
  func feedStates() throws -> [FeedName: FeedState] { try feedStates(from: "feed") }
}

extension Store {
  /// Prunes everything before a moment.
  @discardableResult
  func prune(before: Instant, limit: Int) throws -> Int {
    try prune(before: before, history: before, events: before, limit: limit)
  }
}

/// Expects a failure of a kind, perhaps of a file.
func expect(
  _ failure: StoreFailure?, _ kind: String, of path: String = "", location: SourceLocation = #_sourceLocation
) {
  let text = failure.map { String(describing: $0) } ?? "none"
  #expect(text.hasPrefix(kind + "(path: \"" + path), sourceLocation: location)
}

/// The time at which tests begin.
let now = Instant(secondsSince1970: 1_800_000_000)

/// A time some minutes later, or earlier if negative.
func shifted(_ moment: Instant, minutes: Int64) -> Instant {
  minutes < 0 ? moment - .minutes(-minutes) : moment + .minutes(minutes)
}

func name(_ text: String) throws -> FeedName {
  guard let name = FeedName(text) else { throw Problem("\(text) is no name") }
  return name
}

/// An item with only a guid.
func item(
  _ guid: String?, link: String? = nil, title: String? = nil, published: Instant? = nil, isSeen: Bool = false,
  isFiltered: Bool = false
) -> ItemRecord {
  ItemRecord(
    guid: guid, link: link, keys: IdentityKeys(content: 1), editHash: 2, title: title, summary: nil,
    author: nil, published: published, isSeen: isSeen, isFiltered: isFiltered)
}

/// A request with a response.
func request(_ address: String, status: Int = 200, at time: Instant = now) -> RequestRecord {
  var request = RequestRecord(started: Timestamp(time), address: address)
  request.milliseconds = 45
  request.status = status
  request.bytes = 100
  return request
}

/// A successful fetch with these items, which knows and wants some assets.
func fetch(
  _ feed: FeedName, _ items: [ItemRecord] = [], wanting assets: [FoundAsset] = [], at time: Instant = now
) -> FeedCommit {
  var state = FeedState()
  state.hasBaseline = true
  let record = FetchRecord(
    started: time, ended: time, result: items.isEmpty ? .noData : .newData, reason: "because",
    requests: [request("https://example.org/", at: time)], count: items.count)
  var commit = FeedCommit(feed: feed, state: state, record: record)
  commit.newItems = items
  commit.assets.known = assets
  commit.assets.wanted = assets
  return commit
}

func event(
  _ id: String, _ kind: EventKind = .newItem, hooks: [String] = ["desktop"], at time: Instant = now,
  feed: String? = "planet", fields: JSONValue = .object([]), newItems: [Int] = [], knownItems: [Int64] = []
) -> EventRecord {
  var record = EventRecord(
    event: Event(
      id: id, kind: kind, feed: feed.flatMap { FeedName($0) }, time: time, cause: .timer, fields: fields),
    hooks: hooks)
  (record.newItems, record.knownItems) = (newItems, knownItems)
  return record
}

/// The identities of listed items.
func ids(_ items: [StoredItem]) -> [String] { items.map(\.id) }

extension Store {
  /// Forgets its runs, as if their process had died long ago.
  func loseRuns() async throws {
    underWay = []
    try await endHolds()
  }

  /// Gives up what it holds, as if another process had held it and died long ago.
  func endHolds() async throws {
    try await fallSilent()
    membership?.holder = nil
  }

  /// Gives no sign of life any more, as if the process had been stopped long ago.
  func fallSilent(since age: Interval = .days(1)) async throws {
    await membership?.fallSilent()
    try database.run(
      "UPDATE worker SET alive_until = alive_until - ?2 WHERE number = ?1", membership?.holder, age.seconds)
  }

  /// The latest run, or nil before the first.
  func lastRun() throws -> RunRecord? { try runs(HistoryPart(limit: 1)).first }
}

extension Store {
  /// Whether the text of a delivery is frozen.
  func isFrozen(_ delivery: Int64) throws -> Bool {
    try database.value("SELECT frozen_fields IS NOT NULL FROM delivery WHERE number = ?1", delivery) ?? false
  }
}

extension Store {
  /// Marks the unseen items of feeds as seen; returns how many there were.
  @discardableResult
  func markSeen(of feeds: some Sequence<FeedName>, among configured: FeedNames) throws -> Int {
    let query = ItemQuery(feeds: Array(feeds), unseenOnly: true)
    return try markSeen(try itemNumbers(query, among: configured), configured: configured)
  }

  /// Marks the items of a feed with a guid or link as seen; returns how many of them were unseen.
  @discardableResult
  func markSeen(_ id: String, of feed: FeedName, among configured: FeedNames) throws -> Int {
    let numbers = try items(ItemQuery(feeds: [feed]), among: configured).filter { item in
      item.record.guid == id || item.record.link == id
    }.map(\.number)
    return try markSeen(numbers, configured: configured)
  }
}
