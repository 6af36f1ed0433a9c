// The deliveries of one hook in order: one at a time, or several at a time but only one of each feed.

import Core
import Store

/// Delivers everything that is due for one hook.
struct HookDeliveries: Sendable {
  let notifier: Notifier
  let hook: HookSpec
  /// The run that delivers, whose messages are joined if there are many.
  let origin: EventOrigin
  let run: Int64?

  private var effects: Effects { notifier.effects }
  private var store: Store { effects.store }
  private var now: Instant { effects.machine.now() }

  /// Delivers everything that is due, unless another process is delivering to this hook.
  func deliver() async throws {
    try await effects.underLock(.hook(hook.name)) {
      try await deliverDue()
    } repeatWhile: {
      guard notifier.canContinue else { return false }
      return try await store.hooksWithWork(at: now).contains(hook.name)
    }
  }

  /// Delivers what is due; false if checking again would be useless, because the remaining deliveries wait for fetches to
  /// end or for a later run.
  private func deliverDue() async throws -> Bool {
    try await store.resetRunning(hook.name)
    let trust = try await effects.clockTrust()
    if trust.isPossible { try await store.countAgesAnew(hook.name, at: now) }
    let expired = try await store.expireDeliveries(hook.name, before: trust.ageMoment(now) - hook.expires)
    if expired > 0 {
      effects.report(.deliveriesExpired(hook: hook.name, count: expired, age: hook.expires))
    }
    return try await withThrowingTaskGroup(of: Step.self) { group in
      var running = 0
      var looksAgain = false
      while notifier.canContinue {
        let kept = try await joinMessages()
        if let delivery = try await store.nextDelivery(
          hook.name, at: now, except: kept, parallel: hook.parallel)
        {
          group.addTask { .ended(try await deliver(delivery)) }
          running += 1
          if running < hook.parallel { continue }
        }
        guard running > 0 else {
          group.cancelAll()
          return kept.isEmpty
        }
        // A message of another feed may become due beside a slow delivery.
        if running < hook.parallel, !looksAgain {
          looksAgain = true
          group.addTask { [machine = effects.machine] in
            await machine.sleep(machine.milliseconds() + 1000)
            return .look
          }
        }
        switch try await group.next() {
        case .look: looksAgain = false
        case .ended(.suspended): return false
        case .ended, nil: running -= 1
        }
      }
      return true
    }
  }

  private enum Step: Sendable {
    /// A delivery has ended; nil if nothing was left to deliver.
    case ended(HookEnd?)
    /// It is time to look for what became due meanwhile.
    case look
  }

  /// Runs the hook for a delivery and returns how it ended, or nil if nothing was left to deliver.
  ///
  /// A suspended delivery waits for the next run; this run would only try it again and again.
  private func deliver(_ delivery: Delivery) async throws -> HookEnd? {
    guard try await isWorthDelivering(delivery), let event = try await eventToDeliver(delivery) else {
      try await store.finishDelivery(delivery.number, .nothingToSay(at: now), at: now)
      return nil
    }
    let identifier = event.text("identifier")
    let session = effects.hooks.session ?? ""
    let replaces =
      identifier.isEmpty
      ? nil : try await store.printedIdentifier(hook.name, identifier: identifier, session: session)
    let call = hookCall(hook, event, replaces: replaces ?? "", in: effects.machine.zone)
    let end = await effects.hooks.run(call)
    var result = deliveryEnd(end, delivery, hook, at: now)
    if case .exited(0, let printed, _) = end, !identifier.isEmpty {
      let number = UInt32(printed) == nil ? nil : printed
      result.printed = PrintedIdentifier(identifier: identifier, session: session, text: number)
    }
    try await store.finishDelivery(delivery.number, result, at: now)
    if event.kind == .notification { await notifier.messages.add(hook.name) }
    switch (result.status, result.error) {
    case (.dead, let error):
      effects.report(.deliveryLost(hook: hook.name, event: event.kind, reason: error ?? "failed"))
    case (.pending, let error?):
      effects.report(
        .deliveryFailed(
          hook: hook.name, event: event.kind, reason: error, nextAttempt: result.notBefore ?? now))
    default: break
    }
    return end
  }

  /// Whether an event is still worth delivering: a later run does not deliver best-effort events, and only the last change
  /// of the badge counts.
  private func isWorthDelivering(_ delivery: Delivery) async throws -> Bool {
    // The end of a run that used up its budget can only be delivered by the next run.
    let isFirstTryOfEnd = delivery.event.kind == .runFinished && delivery.attempts == 1
    if delivery.event.kind.isBestEffort, !isFirstTryOfEnd, delivery.created < origin.time { return false }
    guard delivery.event.kind == .badgeChanged else { return true }
    // Where several machines share the state, the badge may be that of another one.
    guard let badge = try await notifier.badge() else { return true }
    return delivery.event.text("badge") == String(badge)
  }

  /// The event of a delivery, with the text of its message; nil if nothing is left to say.
  private func eventToDeliver(_ delivery: Delivery) async throws -> Event? {
    if delivery.event.hasItem { return try await store.detailedEvent(of: delivery) }
    var message = delivery
    if delivery.event.kind == .digest {
      guard let fields = try await text(of: delivery) else { return nil }
      message.event.fields = fields
      return message.event
    }
    guard delivery.event.kind == .notification else { return delivery.event }
    guard let fields = try await text(of: delivery) else { return nil }
    message.event.fields = fields
    let identifier = message.event.text("identifier")
    let newer =
      identifier.isEmpty
      ? [] : try await store.deliveredNotifications(after: delivery.number, identifier: identifier)
    switch lateness(of: message, after: newer) {
    case .inTime: break
    case .beside: message.event.fields = withoutIdentifier(fields)
    case .outdated: return nil
    }
    return message.event
  }

  /// The frozen text of a message, or the text made now; nil if nothing is left to say.
  private func text(of delivery: Delivery) async throws -> [EventField]? {
    if delivery.event.isFrozen { return delivery.event.fields }
    let items = try await newItems([delivery]).first?.items ?? []
    var material = try await material([(delivery, items)])
    material.files = try await store.notificationFiles(delivery.number).mapValues {
      $0.filter(effects.hooks.hasFile)
    }
    let made =
      delivery.event.kind == .digest
      ? digestFields(delivery.event, hook: hook.name, items: items, material)
      : notificationFields(delivery.event, items: items, material)
    guard var fields = made else { return nil }
    if delivery.readyBy != nil {
      let files = try await store.readyCounts(delivery.number)
      fields = withFiles(fields, placed: files.placed, of: files.all)
    }
    var frozen = delivery.event
    frozen.fields = fields
    try await store.freeze(delivery.number, fields: frozen.storedFields)
    return fields
  }

  /// Joins messages that were never tried if there are too many or they share an identifier, and returns those that wait
  /// until all fetches have ended.
  private func joinMessages() async throws -> Set<Int64> {
    if hook.isDigest { return try await collectDigest() }
    while true {
      var waiting = try await store.pendingNotifications(hook.name, at: now)
      let sent = await notifier.messages.of(hook.name)
      let kept =
        notifier.fetches.areUnderWay ? messagesToKeep(waiting, sent: sent, limit: hook.limit, at: now) : []
      waiting.removeAll { kept.contains($0.number) }
      let joined: [Int64]
      var event: Event?
      switch messageJoin(waiting, sent: sent, limit: hook.limit, at: now) {
      case .none: return kept
      case .run(let numbers):
        joined = numbers
        event = runEvent(origin: origin, hook: hook.name, first: numbers.first ?? 0)
      case .feed(let numbers):
        joined = numbers
        event = waiting.first { numbers.contains($0.number) }.map {
          feedEvent($0.event, isLast: false, origin: origin, hook: hook.name, first: $0.number)
        }
      case .last(let numbers):
        joined = numbers
        event = waiting.last { numbers.contains($0.number) }.map {
          feedEvent($0.event, isLast: true, origin: origin, hook: hook.name, first: numbers.first ?? 0)
        }
      case .summary(let numbers, let identifier):
        joined = numbers
        event = try await summary(of: waiting.filter { numbers.contains($0.number) }, identifier: identifier)
      }
      guard let event, try await merge(joined, into: event) else { return kept }
    }
  }

  /// Makes one digest of all messages that were never tried, if any of them is due, and returns those that wait until the
  /// fetches of this run have ended.
  private func collectDigest() async throws -> Set<Int64> {
    let waiting = try await store.pendingNotifications(hook.name, at: now)
    guard !waiting.isEmpty else { return [] }
    let numbers = waiting.map(\.number)
    if notifier.fetches.areUnderWay, digestWaits(for: origin, at: now) { return Set(numbers) }
    _ = try await merge(numbers, into: digestEvent(waiting, origin: origin, hook: hook.name))
    return []
  }

  /// Replaces messages by one; false if none of them was left.
  private func merge(_ deliveries: [Int64], into event: Event) async throws -> Bool {
    try await store.merge(
      deliveries, of: hook.name, into: EventRecord(event: event, hooks: [hook.name]), run: run) != nil
  }

  /// The unseen items of each message, without items whose link a message about another feed already contains.
  ///
  /// Critical messages keep such items: no other feed can suppress an alert by naming its link first.
  private func newItems(
    _ messages: [Delivery]
  ) async throws -> [(delivery: Delivery, items: [StoredItem])] {
    var found: [(delivery: Delivery, items: [StoredItem])] = []
    for message in messages { found.append((message, try await unseenItems(message))) }
    let repeated = try await store.repeatedItems(
      found.flatMap { $0.items.map(\.number) }, to: hook.name, at: now)
    guard !repeated.isEmpty else { return found }
    let feeds = notifier.settings.feeds.named(found.flatMap { $0.items.map(\.feed) })
    let critical = Set(feeds.filter { $0.notify?.urgency == .critical }.map(\.name))
    return found.map { delivery, items in
      (delivery, items.filter { !repeated.contains($0.number) || critical.contains($0.feed) })
    }
  }

  /// The items of a message that are still unseen, newest first.
  private func unseenItems(_ delivery: Delivery) async throws -> [StoredItem] {
    var items = try await store.notificationItems(delivery.number).filter { !$0.record.isSeen }.sorted {
      ($0.date, $0.number) > ($1.date, $1.number)
    }
    guard delivery.event.message == .ofItems(.item), let newest = items.first,
      notifier.settings.feeds[newest.feed]?.notify?.usesDetails ?? false
    else { return items }
    items[0].record.details = try await store.detailsOf([newest.number])[newest.number]
    return items
  }

  /// The one message that replaces several; nil if fewer than two have anything left to say.
  private func summary(of waiting: [Delivery], identifier: String) async throws -> Event? {
    let pending = try await newItems(waiting)
    let material = try await material(pending)
    let messages = pending.compactMap { delivery, items in
      notificationFields(delivery.event, items: items, material).map {
        (feed: delivery.event.feed.flatMap { material.labels[$0] }, fields: $0)
      }
    }
    guard messages.count > 1, let first = waiting.first else { return nil }
    return summaryEvent(
      messages, origin: origin, hook: hook.name, first: first.number, identifier: identifier)
  }

  /// The material for the texts of these messages: only that of their own feeds, because there may be very many feeds.
  private func material(
    _ messages: [(delivery: Delivery, items: [StoredItem])]
  ) async throws -> NotificationMaterial {
    var names = Set(messages.compactMap(\.delivery.event.feed))
    for item in messages.flatMap(\.items) { names.insert(item.feed) }
    let feeds = notifier.settings.feeds.named(names)
    let states = try await store.feedStates(of: feeds.map(\.name))
    return NotificationMaterial(
      feeds: Dictionary(feeds.map { ($0.name, $0) }) { first, _ in first },
      labels: Dictionary(feeds.map { ($0.name, FeedLabel($0, states[$0.name] ?? FeedState())) }) {
        first, _ in first
      },
      badge: try await notifier.badge(), zone: effects.machine.zone)
  }
}
