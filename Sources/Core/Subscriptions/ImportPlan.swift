// Which entries of a list of subscriptions can stand in the configuration, and how.

/// What comes of a list of subscriptions.
public struct ImportPlan: Hashable, Sendable {
  /// The feeds, in the order of the list, all addresses and names different.
  public var feeds: [NamedSubscription] = []
  /// What there is to say, in the order of the list.
  public var remarks: [SubscriptionRemark] = []

  /// How many feeds are left out.
  public var leftOut: Int { remarks.reduce(0) { $0 + $1.kind.leftOut } }
}

/// Takes from a list what a configuration can hold, and says why the rest is left out.
///
/// The same list gives the same names, and entries added at its end change none of those before.
///
/// - Parameters:
///   - entries: the list, which may come from a stranger.
///   - takesFiles: whether feeds that are files of this machine are taken.
/// - Returns: the feeds, and what there is to say of the others.
public func importPlan(_ entries: [SubscriptionEntry], takingFiles takesFiles: Bool) -> ImportPlan {
  var planning = ImportPlanning(takesFiles: takesFiles)
  for entry in entries {
    switch entry {
    case .feed(let subscription, let line): planning.take(subscription, line: line)
    case .remark(let remark): planning.plan.remarks.append(remark)
    }
  }
  return planning.plan
}

/// One walk over a list.
private struct ImportPlanning {
  let takesFiles: Bool
  var plan = ImportPlan()
  private var naming = FeedNaming()
  /// Where in the plan an address is.
  private var known: [String: Int] = [:]
  /// Tags as the configuration writes them; very many feeds may have the same ones.
  private var written: [String: String?] = [:]

  init(takesFiles: Bool) { self.takesFiles = takesFiles }

  mutating func take(_ listed: Subscription, line: Int) {
    let address: FoundAddress
    switch foundAddress(listed.url) {
    case .success(let found): address = found
    case .failure(let refusal): return remark(refusal.kind, line)
    }
    if case .file = address.reach, !takesFiles {
      return remark(.file(address.masked, isTaken: false), line)
    }
    if let earlier = known[address.normalized] {
      remark(.duplicate(address.masked, of: plan.feeds[earlier].name), line)
      // Readers list a feed once in each of its folders.
      let both = tags(listed.tags, line, after: plan.feeds[earlier].subscription.tags)
      plan.feeds[earlier].subscription.tags = both
      return
    }

    var subscription = listed
    subscription.url = address.text
    subscription.title = listed.title.map { cleanText($0, limit: 256) }
    guard let name = naming.name(of: subscription, address: address.normalized) else { return }
    if subscription.title == name.text || subscription.title == "" { subscription.title = nil }
    subscription.tags = tags(listed.tags, line)
    known[address.normalized] = plan.feeds.count
    plan.feeds.append(NamedSubscription(name: name, subscription: subscription))
    switch address.reach {
    case .publicHost: break
    case .privateHost: remark(.privateAddress(address.masked), line)
    case .file: remark(.file(address.masked, isTaken: true), line)
    }
  }

  /// Folders and tags as the configuration writes them, each once, behind those that are there.
  private mutating func tags(_ listed: [String], _ line: Int, after others: [String] = []) -> [String] {
    var tags = others
    for tag in listed where tag.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) {
      guard let written = written(tag) else {
        remark(.unwritableTag(tag), line)
        continue
      }
      if !tags.contains(written), tags.count < 20 { tags.append(written) }
    }
    return tags
  }

  private mutating func written(_ tag: String) -> String? {
    if let known = written[tag] { return known }
    let words = latinWords(tag, keepsDots: false, limit: 40)
    written[tag] = .some(words)
    return words
  }

  private mutating func remark(_ kind: SubscriptionRemark.Kind, _ line: Int) {
    plan.remarks.append(SubscriptionRemark(line: line, kind))
  }
}
