// `bgfetch hooks`: lists and changes deliveries, and tests a hook with a sample event.

import ArgumentParser
import Config
import Core
import Machine
import Store

struct HooksCommand: ProgramCommand {
  static let heading = ("hooks", "List, retry or drop hook deliveries that are waiting")

  @OptionGroup var common: CommonOptions

  @Argument(help: "What to do; test runs one hook with a sample event.")
  var action = Action.list

  @Argument(
    help: ArgumentHelp("Hooks by name; default: all. test takes exactly one.", valueName: "hook"),
    completion: .hookNames)
  var hooks: [String] = []

  enum Action: String, ExpressibleByArgument, CaseIterable {
    /// List pending, dead and expired deliveries.
    case list
    /// Deliver failed deliveries in the next run: dead and expired ones, and the ones that wait for their next attempt.
    case retry
    /// Delete pending, dead and expired deliveries.
    case drop
    /// Run a hook with a sample event.
    case test
  }

  func validate() throws {
    if action == .test, hooks.count != 1 { throw ValidationError("test needs exactly one hook") }
  }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    switch action {
    case .list: return try await invocation.openStateOfFiles(for: .reading).listDeliveries(of: hooks)
    case .retry:
      let state = try await invocation.openStateOfFiles(for: .writing)
      return try await state.change(hooks, "will be retried by the next run") { hook in
        defer { state.wakeWatch() }
        return try await state.store.retryDeliveries(hook: hook, at: state.clock.now())
      }
    case .drop:
      let state = try await invocation.openStateOfFiles(for: .writing)
      return try await state.change(hooks, "dropped") { try await state.store.dropDeliveries(hook: $0) }
    case .test:
      let settings = try invocation.configuration().settings
      return await invocation.test(try configuredHook(hooks.first ?? "", settings), settings)
    }
  }
}

extension OpenedState {
  fileprivate func listDeliveries(of hooks: [String]) async throws -> ExitStatus {
    for hook in hooks { try await expectHook(hook) }
    let deliveries = try await store.deliveries(
      [.pending, .running, .dead, .expired], limit: 1000
    )
    .filter { hooks.isEmpty || hooks.contains($0.hook) }
    try console.print(
      json: deliveries.map(deliveryJSON), text: deliveryLines(deliveries, now: clock.now()))
    if deliveries.isEmpty {
      console.sayEmpty("no deliveries are waiting, and none were given up")
    }
    return .success
  }

  /// Changes the deliveries of some hooks, or of all, and prints how many changed.
  fileprivate func change(
    _ hooks: [String], _ what: String, _ body: (String?) async throws -> Int
  ) async throws -> ExitStatus {
    for hook in hooks { try await expectHook(hook) }
    var count = 0
    for hook in hooks.isEmpty ? [nil] : hooks.map(Optional.some) { count += try await body(hook) }
    console.print(
      json: [JSONValue(["type": "hooks", "deliveries": count])],
      text: ["\(counted(count, "delivery", plural: "deliveries")) \(what)"])
    return .success
  }

  /// Refuses a name that is in neither the configuration nor a delivery.
  ///
  /// A hook that was removed from the configuration may still have deliveries.
  private func expectHook(_ name: String) async throws {
    let isKnown = try await !store.deliveries(
      [.pending, .running, .dead, .expired], hook: name, limit: 1
    )
    .isEmpty
    if !isKnown { _ = try configuredHook(name, settings) }
  }

  /// Deliveries as a table.
  func deliveryLines(_ deliveries: [Delivery], now: Instant) throws -> [String] {
    guard !deliveries.isEmpty else { return [] }
    let zone = try zone()
    let rows = waits(of: deliveries).map { delivery, wait in
      [
        "#\(delivery.number)", delivery.hook, delivery.event.kind.rawValue, delivery.event.feed?.text ?? "",
        statusText(delivery, wait, now: now, in: zone), String(delivery.attempts),
        delivery.created.local(in: zone), cleanText(delivery.lastError ?? "", limit: 200),
      ]
    }
    let head = ["DELIVERY", "HOOK", "EVENT", "FEED", "STATUS", "ATTEMPTS", "SINCE", "ERROR"]
    return table([head] + rows, hasHead: true, on: console.page)
  }

  /// The reason why each pending delivery waits.
  func waits(of deliveries: [Delivery]) -> [(delivery: Delivery, wait: DeliveryWait)] {
    let hooks = Dictionary(settings.hooks.map { ($0.name, $0) }) { first, _ in first }
    let hasSession = SessionBus.find(environment: invocation.environment) != nil
    let now = clock.now()
    return deliveries.map { ($0, deliveryWait($0, hooks[$0.hook], hasSession: hasSession, at: now)) }
  }
}

extension Invocation {
  fileprivate func test(_ hook: HookSpec, _ settings: Settings) async -> ExitStatus {
    let end = await runSample(of: hook, settings)
    let isDelivered = if case .delivered = end { true } else { false }
    let text =
      switch end {
      case .delivered(""): "delivered"
      case .delivered(let printed): "delivered; it printed \(cleanText(printed, limit: 200))"
      case .failed(let reason, _, _): reason
      case .suspended: "suspended"
      }
    console.print(
      json: [JSONValue(["type": "hook-test", "hook": hook.name, "delivered": isDelivered, "text": text])],
      text: ["\(hook.name): \(text)"])
    if hook.isPopup, SessionBus.find(environment: environment) == nil {
      console.say(
        "warning: \(hook.name): there is no session bus here; runs keep its deliveries until you are logged in",
        .warning)
    }
    return isDelivered ? .success : .internalError
  }
}

/// The hook with a name; an unknown name is a usage error.
func configuredHook(_ name: String, _ settings: Settings) throws -> HookSpec {
  guard let hook = settings.hooks.first(where: { $0.name == name }) else {
    let near = nearest(name, among: settings.hooks.map(\.name))
    throw ProgramFailure.usage(
      "there is no hook \"\(name)\"; "
        + (near.map { "did you mean \"\($0.word)\"?" } ?? "see hooks: in the configuration"))
  }
  return hook
}

func deliveryJSON(_ delivery: Delivery) -> JSONValue {
  JSONValue([
    "type": "delivery", "number": delivery.number, "hook": delivery.hook,
    "event": delivery.event.kind.rawValue, "event-id": delivery.event.id, "feed": delivery.event.feed,
    "status": delivery.status.rawValue, "attempts": delivery.attempts, "since": delivery.created,
    "not-before": delivery.notBefore, "postponed-until": delivery.postponedUntil,
    "trigger-at": delivery.triggerAt, "error": delivery.lastError,
  ])
}

extension Invocation {
  /// Runs a hook with a sample of the first of its events.
  func runSample(of hook: HookSpec, _ settings: Settings) async -> HookEnd {
    let uploads = CurlLoop.ofProcess(connections: 1)
    defer { uploads.shutdown() }
    let runner = HookRunner(self, settings, openEnvironment(settings), uploads)
    let zone = (try? zone(settings)) ?? .utc
    return await runner.run(hookCall(hook, sampleEvent(for: hook, settings), replaces: "", in: zone))
  }

  private func sampleEvent(for hook: HookSpec, _ settings: Settings) -> Event {
    let kind =
      hook.isDigest ? .digest : EventKind.allCases.first { hook.events.contains($0) } ?? .notification
    let (feed, link) = (FeedName("sample"), "https://planet.example/sample")
    let (title, text, now) = ("A sample item", "This is only a test.", clock.now())
    let item = feed.map {
      EventItem(title: title, link: link, id: "sample", feed: $0, feedTitle: "Sample feed", published: now)
    }
    let fields = JSONValue([
      "feed.title": "Sample feed", "feed.link": "https://planet.example/", "item.id": "sample",
      "item.title": title, "item.link": link, "item.published": now, "item.summary": text,
      "item.author": "bgfetch", "title": hook.isDigest ? "\(hook.name): \(title)" : "bgfetch", "body": text,
      "sound": nil, "urgency": Urgency.normal.rawValue, "identifier": "bgfetch.test", "link": link,
      "id": "sample", "count": 1, "badge": 1, "items": [item].compactMap(\.self),
      "result": FetchResult.newData.rawValue, "reason": kind == .assetPlaced ? nil : text, "due": 1,
      "new-data": 1, "no-data": 0, "failed": 0, "payload": "{\"alert\":\"\(text)\"}", "exit-status": 0,
      "summary": "1 due, 1 new-data (1 item), badge 1", "asset.url": "https://planet.example/sample.mp3",
      "asset.type": "audio/mpeg",
    ])
    var event = Event(
      id: "test.\(now.secondsSince1970)", kind: kind, feed: feed, time: now, cause: .manual, fields: fields)
    if kind == .assetPlaced { event.fields = fields.adding(sampleFile(settings)) }
    event.details = sampleDetails
    if hook.mailsArticles, let feed {
      let record = ItemRecord(
        guid: "sample", link: link, keys: IdentityKeys(content: 0), editHash: 0, title: title, summary: nil,
        author: "bgfetch", published: now, isSeen: false, isFiltered: false)
      event.mailed = [StoredItem(number: 0, feed: feed, record: record, firstSeen: now, updatedAt: nil)]
      event.mailed[0].record.details = sampleDetails
    }
    return event
  }
}

/// The details of the sample item.
private var sampleDetails: ItemDetails {
  var details = ItemDetails()
  details.content = "<p>This is only a <em>test</em>.</p>"
  details.categories = ["sample"]
  details.comments = "https://planet.example/sample#comments"
  details.image = "https://planet.example/sample.png"
  details.enclosures = [Enclosure(url: "https://planet.example/sample.mp3", type: "audio/mpeg")]
  details.duration = .seconds(3723)
  details.season = 1
  details.episode = 2
  return details
}

/// The file of the sample item, which does not exist: a hook that opens it fails.
private func sampleFile(_ settings: Settings) -> JSONValue {
  JSONValue([
    "asset.path": documentPath(settings.documents, "sample/A sample item.mp3"), "asset.size": 0,
    "asset.sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  ])
}
