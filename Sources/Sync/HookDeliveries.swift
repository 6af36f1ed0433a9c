// The deliveries of one hook, one at a time and in order.

import Core

/// Hands one hook what waits for it.
struct HookDeliveries: Sendable {
  /// How the person is told.
  let telling: Telling
  /// The hook.
  let hook: HookSpec
  /// The run that delivers.
  let origin: EventOrigin
  /// Its number.
  let run: Int64

  private var effects: TellingEffects { telling.effects.telling }
  private var now: Instant { telling.effects.machine.now() }

  /// Hands over everything whose time has come, unless another process is at it.
  func handOver() async throws {
    // Whoever finds the lock held leaves its deliveries to its holder, who therefore looks again after giving it back.
    for _ in 1...10 {
      guard try await handOverUnderLock(), telling.mayGoOn,
        try await effects.hooksWithWork(now).contains(hook.name)
      else { return }
    }
  }

  /// Hands over what waits; false if it is not worth looking again: another process has the lock, or what is left waits
  /// for the end of fetches.
  private func handOverUnderLock() async throws -> Bool {
    guard let lock = try await effects.lock(hook.name) else { return false }
    defer { lock.release() }
    let expired = try await effects.expire(hook.name, now - hook.expires, now)
    if expired > 0 {
      telling.effects.report(.deliveriesExpired(hook: hook.name, count: expired, age: hook.expires))
    }
    while telling.mayGoOn {
      let kept = try await joinMessages()
      guard let delivery = try await effects.next(hook.name, now, kept) else { return kept.isEmpty }
      guard try await handOver(delivery) != .suspended else { return false }
    }
    return true
  }

  /// Runs the hook for a delivery, and says how it ended; nil if there was nothing left to say.
  ///
  /// One that was suspended waits for the next run: this one would only try it again and again.
  private func handOver(_ delivery: Delivery) async throws -> HookEnd? {
    guard try await isWorthTelling(delivery), let event = try await eventToTell(delivery) else {
      try await effects.finish(delivery.number, .nothingToSay(at: now), nil, now)
      return nil
    }
    let identifier = event.text("identifier")
    let replaces = identifier.isEmpty ? "" : try await effects.printed(hook.name, identifier)
    let call = hookCall(hook, event, replaces: replaces, in: telling.effects.machine.zone)
    let end = await effects.runHook(call)
    let verdict = deliveryVerdict(end, delivery, hook, at: now)
    var message: PrintedMessage?
    if case .exited(0, let printed, _) = end, !identifier.isEmpty {
      message = PrintedMessage(identifier: identifier, number: UInt32(printed) == nil ? nil : printed)
    }
    try await effects.finish(delivery.number, verdict, message, now)
    if event.kind == .notification { await telling.messages.add(hook.name) }
    if verdict.status == .dead {
      telling.effects.report(
        .deliveryLost(hook: hook.name, event: event.kind, reason: verdict.error ?? "failed"))
    }
    return end
  }

  /// Whether an event still means something: what is best effort does not come in a later run, and of several changes
  /// of the badge only the last one counts.
  private func isWorthTelling(_ delivery: Delivery) async throws -> Bool {
    // The end of a run that used up its budget can only be told by the next one: whoever watches over runs waits for it.
    let isUntoldEnd = delivery.event.kind == .runFinished && delivery.attempts == 1
    if delivery.event.kind.isBestEffort, !isUntoldEnd, delivery.created < origin.time { return false }
    guard delivery.event.kind == .badgeChanged else { return true }
    return delivery.event.text("badge") == String(try await telling.effects.store.badge())
  }

  /// The event of a delivery, a message with its text; nil where nothing is left to say.
  private func eventToTell(_ delivery: Delivery) async throws -> Event? {
    guard delivery.event.kind == .notification else { return delivery.event }
    var message = delivery
    guard let fields = try await text(of: delivery) else { return nil }
    message.event.fields = fields
    let identifier = message.event.text("identifier")
    let newer = identifier.isEmpty ? [] : try await effects.newerTold(delivery.number, identifier)
    switch lateness(of: message, after: newer) {
    case .inTime: break
    case .beside: message.event.fields = withoutIdentifier(fields)
    case .outdated: return nil
    }
    return message.event
  }

  /// The frozen text of a message, or the text made now; nil where nothing is left to say.
  private func text(of delivery: Delivery) async throws -> [EventField]? {
    if delivery.event.fields.contains(where: { $0.name == "badge" }) { return delivery.event.fields }
    let items = try await effects.unseenItems(delivery.number)
    guard
      var fields = notificationFields(delivery.event, items: items, try await material([(delivery, items)]))
    else {
      return nil
    }
    if delivery.readyBy != nil {
      let (placed, all) = try await effects.files(delivery.number)
      fields = withFiles(fields, placed: placed, of: all)
    }
    try await effects.freeze(delivery.number, fields)
    return fields
  }

  /// Joins messages that were never attempted, where there are too many or they belong to one run's message; gives those
  /// that are kept until all fetches have ended.
  private func joinMessages() async throws -> Set<Int64> {
    while true {
      var waiting = try await effects.waitingMessages(hook.name, now)
      let sent = await telling.messages.of(hook.name)
      let kept = telling.fetches.areUnderWay ? messagesToKeep(waiting, sent: sent, at: now) : []
      waiting.removeAll { kept.contains($0.number) }
      switch messageJoin(waiting, sent: sent, at: now) {
      case .none: return kept
      case .run(let numbers):
        let event = runEvent(origin: origin, hook: hook.name, first: numbers.first ?? 0)
        guard try await effects.join(hook.name, numbers, event, run) else { return kept }
      case .feed(let numbers):
        guard let one = waiting.first(where: { numbers.contains($0.number) }) else { return kept }
        let event = feedEvent(one.event, origin: origin, hook: hook.name, first: one.number)
        guard try await effects.join(hook.name, numbers, event, run) else { return kept }
      case .last(let numbers):
        guard let last = waiting.last(where: { numbers.contains($0.number) }) else { return kept }
        let event = repeatedEvent(last.event, origin: origin, hook: hook.name, first: numbers.first ?? 0)
        guard try await effects.join(hook.name, numbers, event, run) else { return kept }
      case .summary(let numbers, let identifier):
        let joined = waiting.filter { numbers.contains($0.number) }
        guard let event = try await summary(of: joined, identifier: identifier) else { return kept }
        guard try await effects.join(hook.name, numbers, event, run) else { return kept }
      }
    }
  }

  /// The one message that stands for those that wait; nil where fewer than two have anything left to say.
  private func summary(of waiting: [Delivery], identifier: String) async throws -> Event? {
    var told: [(delivery: Delivery, items: [StoredItem])] = []
    for delivery in waiting { told.append((delivery, try await effects.unseenItems(delivery.number))) }
    let material = try await material(told)
    let messages = told.compactMap { delivery, items in
      notificationFields(delivery.event, items: items, material).map {
        (feed: delivery.event.feed.flatMap { material.labels[$0] }, fields: $0)
      }
    }
    guard messages.count > 1, let first = waiting.first else { return nil }
    return summaryEvent(
      messages, origin: origin, hook: hook.name, first: first.number, identifier: identifier)
  }

  /// What messages are made from: of the feeds, which may be very many, only those that they are about.
  private func material(
    _ told: [(delivery: Delivery, items: [StoredItem])]
  ) async throws -> NotificationMaterial {
    var names = Set(told.compactMap(\.delivery.event.feed))
    for item in told.flatMap(\.items) { names.insert(item.feed) }
    let feeds = telling.settings.feeds.filter { names.contains($0.name) }
    let states = try await telling.effects.store.statesOf(feeds.map(\.name))
    return NotificationMaterial(
      feeds: Dictionary(feeds.map { ($0.name, $0) }) { first, _ in first },
      labels: Dictionary(feeds.map { ($0.name, FeedLabel($0, states[$0.name] ?? FeedState())) }) {
        first, _ in first
      },
      badge: try await telling.effects.store.badge(), zone: telling.effects.machine.zone)
  }
}
