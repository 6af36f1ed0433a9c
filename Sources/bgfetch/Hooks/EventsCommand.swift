// `bgfetch events`: prints the events of a consumer, a hook without a program, as JSON lines, each once, in the order in
// which they were recorded.

import ArgumentParser
import Core
import Machine
import Store

struct EventsCommand: ProgramCommand {
  static let heading = ("events", "Print the events of a consumer, each once, as JSON lines")

  @OptionGroup var common: CommonOptions

  @Option(
    help: ArgumentHelp("The hook with consumer: true whose events to print.", valueName: "name"),
    completion: .hookNames)
  var consumer: String

  @Flag(help: "Wait for further events, until interrupted.")
  var follow = false

  @Flag(help: "An event counts as read when its event-id comes back on standard input, one a line.")
  var acknowledge = false

  @Option(help: ArgumentHelp("Print at most this many events.", valueName: "number"))
  var limit: Int?

  func validate() throws { try requirePositive(limit, "--limit") }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let settings = try invocation.configuration().settings
    let hook = try configuredConsumer(consumer, settings)
    let store = try await invocation.openStore(settings, for: .writing)
    let state = OpenedState(invocation, settings, store)
    var reader = EventReader(write: write)
    if acknowledge { reader.acknowledgement = { await nextInputLine() } }
    let isFree = try await state.withEffects { effects in
      try await passEvents(of: hook, to: reader, limit: limit, follows: follow, effects)
    }
    guard isFree else { throw ProgramFailure.consumerInUse(consumer) }
    return .success
  }
}

/// Writes events as JSON lines; false if nobody reads them.
@Sendable private func write(_ events: [Event]) throws -> Bool {
  Console.write(events.map { eventJSON($0).text + "\n" }.joined(), to: .output)
}

/// The hook with a name that is a consumer; any other name is a usage error.
private func configuredConsumer(_ name: String, _ settings: Settings) throws -> HookSpec {
  let hook = try configuredHook(name, settings)
  guard hook.isConsumer else {
    throw ProgramFailure.usage(
      "the hook \"\(name)\" is no consumer; write consumer: true in place of its program or webhook")
  }
  return hook
}

/// The program that reads the events of a consumer.
struct EventReader: Sendable {
  /// Writes events; false if nobody reads them any more.
  var write: @Sendable ([Event]) async throws -> Bool
  /// The next `event-id` that the reader acknowledges, or nil at the end.
  ///
  /// If there is no such function, events count as read when they are written.
  var acknowledgement: (@Sendable () async throws -> String?)?
}

/// Passes the unread events of a consumer to a reader, and records which of them were read.
///
/// Events that are neither written nor acknowledged, because the reader or this process ended, are passed to the next reader.
///
/// - Parameters:
///   - limit: the most events to pass; nil means all.
///   - follows: whether to wait for further events, which are looked for every second.
/// - Returns: false if another process passes the events of this consumer.
/// - Throws: what the store and the reader throw.
func passEvents(
  of consumer: HookSpec, to reader: EventReader, limit: Int?, follows: Bool, _ effects: Effects
) async throws -> Bool {
  guard let lock = try await effects.tryLock(.consumer(consumer.name)) else { return false }
  defer { lock.release() }
  let (store, machine) = (effects.store, effects.machine)
  var left = limit ?? .max
  while left > 0, !Task.isCancelled {
    let unread = try await store.unreadEvents(of: consumer.name, limit: min(left, 100))
    if unread.isEmpty {
      guard follows else { break }
      await machine.sleep(machine.milliseconds() + 1000)
      continue
    }
    left -= unread.count
    guard try await pass(unread, to: reader, store, machine) else { break }
  }
  return true
}

/// Passes events to a reader until it has read all of them; false if it ended before.
private func pass(
  _ unread: [Delivery], to reader: EventReader, _ store: Store, _ machine: MachineEffects
) async throws -> Bool {
  var events: [Event] = []
  for delivery in unread { events.append(try await store.detailedEvent(of: delivery)) }
  guard try await reader.write(events) else { return false }
  guard let acknowledgement = reader.acknowledgement else {
    try await store.markRead(unread.map(\.number), at: machine.now())
    return true
  }
  var waiting = Dictionary(unread.map { ($0.event.id, $0.number) }) { first, _ in first }
  while !waiting.isEmpty {
    guard let id = try await acknowledgement() else { return false }
    guard let number = waiting.removeValue(forKey: id) else { continue }
    try await store.markRead([number], at: machine.now())
  }
  return true
}

extension Store {
  /// The event of a delivery; if it is about one item, with the details of that item.
  func detailedEvent(of delivery: Delivery) throws(StoreFailure) -> Event {
    var event = delivery.event
    guard event.hasItem, let item = try notificationItems(delivery.number).first else { return event }
    event.details = try detailsOf([item.number])[item.number]
    return event
  }

  /// How far the clock is believed.
  func clockTrust(at now: Instant) throws(StoreFailure) -> ClockTrust {
    ClockTrust(now: now, earlier: try lastRun(before: now - ClockTrust.delay))
  }
}
