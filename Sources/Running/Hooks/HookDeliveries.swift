// The deliveries of one hook in order: one at a time, or several at a time but only one of each feed.

import Core
import Store
import Synchronization

/// Delivers everything that is due for one hook.
struct HookDeliveries: Sendable {
  let notifier: Notifier
  let hook: HookSpec
  /// The round or command that delivers, whose messages are joined if there are many.
  let origin: EventOrigin

  var effects: Effects { notifier.effects }
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
    // The items that were marked as seen are no longer counted.
    if notifier.marked.withLock({ $0.remove(hook.name) }) != nil {
      _ = try await notifier.updateBadge(of: origin)
      await effects.hooks.writeOutputs()
      notifier.wake()
    }
  }

  /// Delivers what is due; the rest waits for fetches to end or for a later run.
  private func deliverDue() async throws -> LockedWork {
    let expired = try await store.prepareDeliveries(hook.name, expiringAt: hook.expires, at: now)
    if expired > 0 {
      effects.report(.notice(.deliveriesExpired(hook: hook.name, count: expired, age: hook.expires)))
    }
    while notifier.canContinue {
      switch try await claim() {
      case .draft(let draft): guard try await deliver(draft) == .ended else { return .waits }
      case .nothing: return .ended
      case .deferred: return .waits
      }
    }
    return .ended
  }

  /// Makes the text of a delivery, which is frozen then, and runs the hook for it.
  ///
  /// A suspended delivery waits for the next run, as this one would only try it again and again.
  private func deliver(_ draft: Draft) async throws -> LockedWork {
    guard case .done(let text) = await made(draft.text) else {
      return try await finish(ReadyMessage(delivery: draft.delivery), interruption)
    }
    let ready = try await store.transaction { [now] store -> ReadyMessage? in
      if let text, let message = try message(draft.delivery, text, store) { return message }
      let nothingToSay = DeliveryEnd(.dropped, notBefore: now, isCounted: false)
      try store.finishDelivery(draft.delivery.number, nothingToSay, at: now)
      return nil
    }
    guard let message = ready else { return .ended }
    let call = await made { [hook, zone = effects.machine.zone] in
      hookCall(hook, message.delivery.event, replaces: message.replaces, in: zone)
    }
    guard case .done(let call) = call else { return try await finish(message, interruption) }
    return try await finish(message, await effects.hooks.run(call))
  }

  /// Makes something of articles on another thread, so that the store does not wait for it.
  private func made<Outcome: Sendable>(
    _ work: @escaping @Sendable () -> Outcome
  ) async -> ReadingEnd<Outcome> {
    await effects.machine.reading(until: effects.machine.moment(after: hook.timeout)) { _ in work() }
  }

  private var interruption: HookEnd {
    Task.isCancelled ? .suspended : .failed("took longer than \(hook.timeout.text)")
  }

  /// Records how an attempt ended.
  private func finish(_ message: ReadyMessage, _ end: HookEnd) async throws -> LockedWork {
    let (delivery, event) = (message.delivery, message.delivery.event)
    var result = deliveryEnd(end, delivery, hook, at: now)
    let identifier = event.text("identifier")
    if case .delivered(let printed) = end, !identifier.isEmpty {
      let isUsable = hook.isPopup || UInt32(printed) != nil
      result.printed = PrintedIdentifier(
        identifier: identifier, session: session, text: isUsable ? printed : nil)
    }
    let seen = hook.marksSeen && result.status == .delivered && !message.items.isEmpty
    try await store.finishDelivery(
      delivery.number, result, seen: seen ? (message.items, notifier.settings.feedNames) : nil, at: now)
    if seen { notifier.marked.withLock { _ = $0.insert(hook.name) } }
    if event.kind == .notification { notifier.sentMessages.withLock { $0[hook.name, default: 0] += 1 } }
    switch (result.status, result.error) {
    case (.dead, let error):
      effects.report(.notice(.deliveryLost(hook: hook.name, event: event.kind, reason: error ?? "failed")))
    case (.pending, let error?):
      effects.report(
        .notice(
          .deliveryFailed(
            hook: hook.name, event: event.kind, reason: error, nextAttempt: result.notBefore ?? now,
            zone: effects.machine.zone)))
    default: break
    }
    return end == .suspended ? .waits : .ended
  }

  /// Whether fetches are under way that may cause more messages.
  var areFetchesUnderWay: Bool { notifier.isFetching.load(ordering: .relaxed) }

  var session: String { effects.hooks.session ?? "" }
}

/// A claimed delivery, whose text is frozen.
private struct ReadyMessage: Sendable {
  var delivery: Delivery
  /// The items that it names, by number.
  var items: [Int64] = []
  /// The line that the hook printed for an earlier message with its identifier.
  var replaces = ""
}

/// A claimed delivery, whose text is still to be made.
private struct Draft: Sendable {
  var delivery: Delivery
  /// Makes its text; nil if nothing is left to say.
  var text: @Sendable () -> JSONValue?
}

/// The next delivery of a hook.
private enum NextDelivery: Sendable {
  case draft(Draft)
  /// No delivery is due now.
  case nothing
  /// The rest are messages that wait until all fetches have ended.
  case deferred
}

// The claim: one transaction, within which the store is asked for all that the text is made from.
extension HookDeliveries {
  /// Joins the messages of the hook if necessary, and claims the next delivery.
  private func claim() async throws -> NextDelivery {
    let (sent, now) = (notifier.sentMessages.withLock { $0[hook.name, default: 0] }, now)
    return try await store.claiming(for: hook.name, at: now) { store in
      let deferred = try joinMessages(sent: sent, at: now, store)
      let next = try store.nextDelivery(hook.name, at: now, except: deferred)
      guard let next else { return deferred.isEmpty ? .nothing : .deferred }
      return .draft(try draft(of: next, at: now, store))
    } ?? .nothing
  }

  /// The delivery with its frozen text; nil if a newer message says how things are now.
  private func message(
    _ delivery: Delivery, _ text: JSONValue, _ store: isolated Store
  ) throws -> ReadyMessage? {
    var message = ReadyMessage(delivery: delivery)
    switch delivery.event.kind {
    case .digest, .notification:
      message.delivery.event.fields = text
      if !delivery.event.isFrozen {
        try store.freeze(delivery.number, fields: message.delivery.event.storedFields)
      }
      message.items = message.delivery.event.items.map(\.number)
      message.delivery.event.mailed = try mailed(message.delivery, store)
      message.delivery.event.source = message.delivery.event.item.flatMap {
        notifier.settings.feeds[$0.feed]
      }
    default:
      guard delivery.event.hasItem, let item = try store.notificationItems(delivery.number).first else {
        break
      }
      message.items = [item.number]
      message.delivery.event.details = try store.detailsOf(message.items)[item.number]
    }
    let identifier = message.delivery.event.text("identifier")
    guard !identifier.isEmpty else { return message }
    if delivery.event.kind == .notification {
      let newer = try store.deliveredNotifications(after: delivery.number, identifier: identifier)
      guard let fields = fields(of: message.delivery, after: newer) else { return nil }
      message.delivery.event.fields = fields
    }
    let last = message.delivery.event.text("identifier")
    message.replaces = try store.printedIdentifier(hook.name, identifier: last, session: session) ?? ""
    return message
  }

  /// The items of a mail about one item, with its article, or of a digest, with articles or summaries; the summary of a change of
  /// a watched page has the changed lines.
  private func mailed(_ delivery: Delivery, _ store: isolated Store) throws -> [StoredItem] {
    let isDigest = hook.isDigest
    guard case .mail = hook.stdin, isDigest || hook.mailsArticle(of: delivery) else { return [] }
    // A digest lists the changes of pages itself.
    let listed = Set(delivery.event.items.filter { !isDigest || $0.changes.isEmpty }.map(\.number))
    var room = isDigest ? Self.mostArticles : .max
    var items: [StoredItem] = []
    let known = try store.notificationItems(delivery.number).filter { listed.contains($0.number) }
    for var item in newestFirst(known) {
      let isPage = notifier.settings.feeds[item.feed]?.kind.isPageText ?? false
      let details = try store.detailsOf([item.number])[item.number]
      let content = details?.content
      room -= content?.utf8.count ?? 0
      if isDigest, !hook.hasArticles || room < 0 {
        let summary =
          item.record.summary
          ?? content.map { ItemRecord.summary(of: ArticleBeginning($0, limit: 4096).html) }
        item.record.summary = summary.map { shortened($0, to: 300) }
      } else if !isPage || content.flatMap(changedLines(ofContent:)) == nil {
        item.record.details = details
      }
      items.append(item)
    }
    return items
  }

  /// The most bytes of all articles in a digest; further items have summaries.
  private static let mostArticles = 2 << 20

  /// Whether an event is still worth delivering: a later run does not deliver best-effort events, and only the last change
  /// of the badge counts.
  private func isWorthDelivering(_ delivery: Delivery, _ store: isolated Store) throws -> Bool {
    // The end of a run that used up its budget can only be delivered by the next run.
    let isFirstTryOfEnd = delivery.event.kind == .runFinished && delivery.attempts == 1
    if delivery.event.kind.isBestEffort, !isFirstTryOfEnd, delivery.created < origin.time { return false }
    guard delivery.event.kind == .badgeChanged else { return true }
    // Where several machines share the state, the badge may be another machine's.
    guard let badge = try badge(store) else { return true }
    return delivery.event.text("badge") == String(badge)
  }

  /// The badge; nil if none is kept: counting the unseen items of a large catalog takes long on a server.
  func badge(_ store: isolated Store) throws -> Int? {
    guard notifier.settings.badge != nil else { return nil }
    return try store.badge(configured: notifier.settings.feedNames)
  }

  /// A delivery with what its text is made from, unless the text is frozen.
  private func draft(
    of delivery: Delivery, at now: Instant, _ store: isolated Store
  ) throws -> Draft {
    guard try isWorthDelivering(delivery, store) else { return Draft(delivery: delivery) { nil } }
    let event = delivery.event
    guard [.digest, .notification].contains(event.kind), !event.isFrozen else {
      return Draft(delivery: delivery) { event.fields }
    }
    let items = try newItems([delivery], at: now, store).first?.items ?? []
    var material = try material([(delivery, items)], store)
    material.files = try store.notificationFiles(delivery.number).mapValues {
      $0.filter(effects.hooks.hasFile)
    }
    let files = delivery.readyBy == nil ? nil : try store.readyCounts(delivery.number)
    return Draft(delivery: delivery) { [hook = hook.name, material] in
      let made =
        event.kind == .digest
        ? digestFields(event, hook: hook, items: items, material)
        : notificationFields(event, items: items, material)
      guard let made, let files else { return made }
      return withFiles(made, placed: files.placed, of: files.all)
    }
  }
}
