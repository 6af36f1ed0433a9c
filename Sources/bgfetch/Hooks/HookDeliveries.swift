// The deliveries of one hook in order: one at a time, or several at a time but only one of each feed.

import Core
import Store
import Synchronization

/// Delivers everything that is due for one hook.
struct HookDeliveries: Sendable {
  let notifier: Notifier
  let hook: HookSpec
  /// The run that delivers, whose messages are joined if there are many.
  let origin: EventOrigin
  let run: Int64?

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
      _ = try await notifier.updateBadge(run: run, cause: origin.cause)
      await effects.hooks.writeOutputs()
      notifier.wake()
    }
  }

  /// Delivers what is due; false if the remaining deliveries wait for fetches to end or for a later run.
  private func deliverDue() async throws -> Bool {
    let now = now
    let expired = try await store.transaction { [hook] store throws(StoreFailure) in
      try store.resetRunning(hook.name)
      let trust = try store.clockTrust(at: now)
      if trust.isPossible { try store.resetAges(hook.name, at: now) }
      return try store.expireDeliveries(hook.name, before: trust.ageMoment(now) - hook.expires)
    }
    if expired > 0 {
      effects.report(.deliveriesExpired(hook: hook.name, count: expired, age: hook.expires))
    }
    while notifier.canContinue {
      let claim = try await claim()
      guard let message = claim.message else { return claim.deferred.isEmpty }
      if case .suspended = try await deliver(message) { return false }
    }
    return true
  }

  /// Runs the hook for a delivery and returns how it ended.
  ///
  /// A suspended delivery waits for the next run; this run would only try it again and again.
  private func deliver(_ message: ReadyMessage) async throws -> HookEnd {
    let (delivery, event) = (message.delivery, message.delivery.event)
    let end = await run(message)
    var result = deliveryEnd(end, delivery, hook, at: now)
    let identifier = event.text("identifier")
    if case .exited(0, let printed, _) = end, !identifier.isEmpty {
      let isUsable = hook.isPopup || UInt32(printed) != nil
      result.printed = PrintedIdentifier(
        identifier: identifier, session: session, text: isUsable ? printed : nil)
    }
    let seen = hook.marksSeen && result.status == .delivered && !message.items.isEmpty
    try await store.finishDelivery(
      delivery.number, result, seen: seen ? (message.items, notifier.settings.feedNames) : nil, at: now)
    if seen { notifier.marked.withLock { _ = $0.insert(hook.name) } }
    if event.kind == .notification { notifier.messages.withLock { $0[hook.name, default: 0] += 1 } }
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

  /// Runs the hook for a message; making its text counts towards the time limit.
  private func run(_ message: ReadyMessage) async -> HookEnd {
    let end = effects.machine.milliseconds() + hook.timeout.seconds * 1000
    let made = await effects.machine.reading(until: end) { [hook, zone = effects.machine.zone] _ in
      hookCall(hook, message.delivery.event, replaces: message.replaces, in: zone)
    }
    guard case .done(let call) = made else { return Task.isCancelled ? .suspended : .timedOut }
    return await effects.hooks.run(call)
  }

  /// Whether fetches are under way that may cause more messages.
  var areFetchesUnderWay: Bool { notifier.fetches.load(ordering: .relaxed) > 0 }

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
  /// Whether its text is made from an article, which another thread reads.
  var hasArticle = false
  /// Makes its text; nil if nothing is left to say.
  var text: @Sendable () -> [EventField]?
}

/// A claim of the next delivery of a hook.
private struct Claim: Sendable {
  /// The delivery; nil if nothing is to be delivered now.
  var message: ReadyMessage?
  /// The delivery instead, if its text is still to be made from an article.
  var draft: Draft?
  /// The messages that wait until all fetches have ended.
  var deferred: Set<Int64> = []
}

// The claim: one transaction, within which the store is asked for all that the text is made from. A text from an article is
// made between two transactions, so that the store does not wait for it.
extension HookDeliveries {
  /// Claims the next delivery, with its text.
  private func claim() async throws -> Claim {
    while true {
      let claim = try await claimNext()
      guard let draft = claim.draft else { return claim }
      let end = effects.machine.milliseconds() + hook.timeout.seconds * 1000
      switch await effects.machine.reading(until: end, { _ in draft.text() }) {
      case .done(let text):
        let ready = try await store.transaction { [now] store throws(StoreFailure) -> ReadyMessage? in
          try message(draft, with: text, at: now, store)
        }
        if let ready { return Claim(message: ready, deferred: claim.deferred) }
      case .stopped, .left:
        let end = deliveryEnd(Task.isCancelled ? .suspended : .timedOut, draft.delivery, hook, at: now)
        try await store.finishDelivery(draft.delivery.number, end, at: now)
        guard notifier.canContinue else { return Claim() }
      }
    }
  }

  /// Joins the messages of the hook if necessary, claims the next delivery and freezes its text.
  private func claimNext() async throws -> Claim {
    let (sent, now) = (notifier.messages.withLock { $0[hook.name, default: 0] }, now)
    return try await store.claiming(for: hook.name, at: now) { store throws(StoreFailure) in
      var claim = Claim(deferred: try joinMessages(sent: sent, at: now, store))
      while claim.message == nil,
        let delivery = try store.nextDelivery(hook.name, at: now, except: claim.deferred)
      {
        let draft = try draft(of: delivery, at: now, store)
        if draft.hasArticle {
          claim.draft = draft
          return claim
        }
        claim.message = try message(draft, with: draft.text(), at: now, store)
      }
      return claim
    } ?? Claim()
  }

  /// The delivery with its text, which is frozen; ends the delivery and returns nil if nothing is left to say.
  private func message(
    _ draft: Draft, with text: [EventField]?, at now: Instant, _ store: isolated Store
  ) throws(StoreFailure) -> ReadyMessage? {
    guard let text, let ready = try message(draft.delivery, text, store) else {
      try store.finishDelivery(draft.delivery.number, .nothingToSay(at: now), at: now)
      return nil
    }
    return ready
  }

  private func message(
    _ delivery: Delivery, _ text: [EventField], _ store: isolated Store
  ) throws(StoreFailure) -> ReadyMessage? {
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
      switch lateness(of: message.delivery, after: newer) {
      case .inTime: break
      case .beside:
        message.delivery.event.fields = withoutIdentifier(message.delivery.event.fields)
        return message
      case .outdated: return nil
      }
    }
    message.replaces =
      try store.printedIdentifier(hook.name, identifier: identifier, session: session) ?? ""
    return message
  }

  /// The items of a mail about one item, with its article, or of a digest, with articles or summaries; the summary of a change of
  /// a watched page has the changed lines.
  private func mailed(_ delivery: Delivery, _ store: isolated Store) throws(StoreFailure) -> [StoredItem] {
    let isDigest = hook.isDigest
    guard case .mail = hook.stdin, isDigest || hook.mailsArticle(of: delivery) else { return [] }
    // A digest lists the changes of pages itself.
    let listed = Set(delivery.event.items.filter { !isDigest || $0.changes.isEmpty }.map(\.number))
    var room = isDigest ? Self.mostArticles : .max
    var items: [StoredItem] = []
    let known = try store.notificationItems(delivery.number).filter { listed.contains($0.number) }
    for var item in known.sorted(by: { ($0.date, $0.number) > ($1.date, $1.number) }) {
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
  private func isWorthDelivering(_ delivery: Delivery, _ store: isolated Store) throws(StoreFailure) -> Bool {
    // The end of a run that used up its budget can only be delivered by the next run.
    let isFirstTryOfEnd = delivery.event.kind == .runFinished && delivery.attempts == 1
    if delivery.event.kind.isBestEffort, !isFirstTryOfEnd, delivery.created < origin.time { return false }
    guard delivery.event.kind == .badgeChanged else { return true }
    // Where several machines share the state, the badge may be another machine's.
    guard let badge = try badge(store) else { return true }
    return delivery.event.text("badge") == String(badge)
  }

  /// The badge; nil if none is kept: counting the unseen items of a large catalog takes long on a server.
  func badge(_ store: isolated Store) throws(StoreFailure) -> Int? {
    guard notifier.settings.badge != nil else { return nil }
    return try store.badge(configured: notifier.settings.feedNames)
  }

  /// A delivery with what its text is made from, unless the text is frozen.
  private func draft(
    of delivery: Delivery, at now: Instant, _ store: isolated Store
  ) throws(StoreFailure) -> Draft {
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
    var draft = Draft(delivery: delivery) { [hook = hook.name, material] in
      let made =
        event.kind == .digest
        ? digestFields(event, hook: hook, items: items, material)
        : notificationFields(event, items: items, material)
      guard let made, let files else { return made }
      return withFiles(made, placed: files.placed, of: files.all)
    }
    draft.hasArticle = items.contains { $0.record.details != nil }
    return draft
  }
}
