// The questions of a store that several machines have open. The store of a file asks nobody: the locks of the machine keep its
// processes apart.

package import Core

/// The processes of all machines that share a store, and the place of this one among them (the module Fleet).
///
/// Rows name the process that holds them. A process that has given no sign of life for a time is dead: others take over what it held,
/// and nothing that it writes later counts.
package protocol Neighbours: AnyObject {
  var connection: any DatabaseConnection { get }
  /// The name of this machine, which its runs get.
  var machine: String? { get }

  /// The number by which rows name this process; nil as long as it holds nothing.
  var holder: Int64? { get }
  /// Makes this process known before it holds anything; outside of transactions.
  func beginHolding() throws
  /// Whether the process is alive that a column names, as SQL.
  func isAlive(_ holder: String) -> String
  /// Holds a row from now on; within a transaction.
  func hold(_ number: Int64, in table: HeldTable) throws
  /// Lets go of a row, if this process holds it; within a transaction.
  func letGo(_ number: Int64, in table: HeldTable) throws
  /// Whether this process still holds a row; within a transaction.
  func stillHolds(_ number: Int64, in table: HeldTable) throws -> Bool

  /// Claims hosts for a round that begins, so that no other one asks them; within a transaction. Fails if another one has one of them.
  func claim(_ hosts: Set<String>, for round: Int64) throws
  /// Gives the hosts of rounds back that are over; within a transaction.
  func releaseDead() throws
  /// Gives the hosts of a round back that ends, and counts its fetches; within its transaction.
  func endClaims(
    of round: Int64, _ totals: RunTotals, byHost: [String: [FetchResult: Int]]
  ) throws
  /// Fails if others took the process of a round to be dead; within a transaction.
  func requireAlive(_ round: Int64) throws

  /// The changes of others so far; as of `Store.dataVersion`.
  func dataVersion() throws -> Int
  /// The feeds of the catalog, of which this machine keeps a copy at a path.
  func catalog(
    ofStore mark: String, copy path: String, version: Int64, at now: Instant
  ) throws -> StoredCatalog

  /// Drops old days as a whole, where the history is kept by day.
  func dropDays(history: Instant, events: Instant, needed: Instant) throws
  /// The table with the rows of a table that are deleted one by one.
  func rest(of table: String) -> String
  /// Deletes rows whose fetch, event or feed is gone, where no foreign key does it.
  func deleteOrphans() throws
  /// Forgets what is old about machines and hosts; returns the number of rows.
  func prune(before: Instant) throws -> Int

  /// Says that this process holds nothing any more.
  func end() async
}

/// A table with rows that processes hold while they work on them.
///
/// A row names its holder. Only the holder changes that, and who takes over from a dead one: so a process that was stopped for
/// long finds that the work is no longer its own. A person changes the status, perhaps to cancel the work or to have it done
/// again: then the holder stops, and until it has let go nobody else begins.
package enum HeldTable: String, CaseIterable, CustomStringConvertible {
  case delivery, transfer

  /// The standard library would find the name by reflection, which costs a tenth of a run with nothing due.
  package var description: String { rawValue }
}

extension Store {
  /// Whether a run has neither ended nor was marked as cut, as SQL.
  package static let isOpen = "ended IS NULL AND was_cut = 0"

  /// The claims of runs that are alive, as SQL.
  package static let liveClaims = "claim JOIN run ON run.number = claim.run AND \(isOpen)"

  /// Whether the process is alive that a column names, as SQL; in a file nobody is.
  func isAlive(_ holder: String) -> String { neighbours?.isAlive(holder) ?? "0" }
  func isDead(_ holder: String) -> String { "NOT " + isAlive(holder) }

  /// The hosts that runs of other processes have claimed; none in a file.
  public func claimedHosts() throws -> Set<String> {
    guard neighbours != nil else { return [] }
    return Set(try database.rows("SELECT host FROM \(Self.liveClaims)") as [String])
  }

  /// Whether nobody works on a row, as SQL.
  func isFree(_ table: HeldTable) -> String { isDead("\(table).held_by") }

  /// Whether a running row is held by nobody, as SQL.
  func isLapsed(_ table: HeldTable) -> String { "\(table).status = 'running' AND \(isFree(table))" }

  /// Whether this process still holds a row, which may have another status now; within a transaction.
  func stillHolds(_ number: Int64, in table: HeldTable) throws -> Bool {
    try neighbours?.stillHolds(number, in: table) ?? true
  }

  /// The durability of what is committed before anyone is notified of it.
  ///
  /// A server that crashes may lose its last commits: nobody may be notified of an event that is then gone, and a host must not be
  /// forgotten that a run has claimed. A file loses them only with the whole machine.
  var durabilityOfNotice: Database.Durability { neighbours == nil ? .ordinary : .survivesPowerCut }
}
