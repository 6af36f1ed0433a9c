// The keys of a feed, read over what `defaults` or nothing gave. One line a key.

import Model
import Timing

/// A feed on its way: what is known of it after `defaults`, and then after its own keys.
struct FeedDraft {
  /// What is behind its address.
  var kind = FeedKindDraft()
  private var title: String?
  private var tags: [String] = []
  private var minimumInterval: MinimumInterval?
  private var schedule: [CronExpression] = []
  private var hours = WeeklyHours.always
  /// Where the later of schedule and hours stands.
  private var whenPlace: Place?
  private var headers: [HeaderSpec] = []
  private var authentication = AuthenticationDraft()
  private var identity: IdentityRule = .guid
  private var firstRun: FirstRun = .none
  private var filter = ItemFilter()
  private var updated: UpdatedRule = .silent
  /// How it is announced; nil announces nothing.
  var notify: NotifyDraft? = NotifyDraft()
  /// What the whole run's `network` says, and what it is for this feed.
  private let standardNetwork: SharedNetwork
  private var network: SharedNetwork

  /// A feed of which nothing is known but how the run uses the network.
  init(network: SharedNetwork) {
    standardNetwork = network
    self.network = network
  }

  /// Reads the keys that stand in a mapping; mappings merge, lists replace, `none` takes back.
  mutating func read(_ keys: Section) {
    kind.read(keys)
    keys.read("title", into: &title, unset: nil) { $0.someText() }
    keys.read("tags", into: &tags, unset: []) { $0.tags() }
    keys.read("minimum-interval", into: &minimumInterval, unset: nil) { $0.minimumInterval() }
    keys.read("schedule", into: &schedule, unset: []) { $0.schedule() }
    keys.read("hours", into: &hours, unset: .always) { $0.weeklyHours() }
    whenPlace = (keys["hours"] ?? keys["schedule"])?.node.place ?? whenPlace
    let inherited = headers
    keys.read("headers", into: &headers, unset: []) { $0.headers(over: inherited) }
    keys.read("identity", into: &identity, unset: .guid) { $0.choice(of: IdentityRule.self) }
    keys.read("first-run", into: &firstRun, unset: .none) { $0.firstRun() }
    keys.read("updated", into: &updated, unset: .silent) { $0.choice(of: UpdatedRule.self) }
    if let auth = keys["auth"] { authentication.read(auth) }
    readFilter(keys["filter"])
    readNotify(keys["notify"])
    if let field = keys["network"] { readNetwork(field) }
  }

  /// The feed, every default filled in; what only the whole shows to be wrong is reported.
  func spec(name: FeedName, url: SecretText, at place: Place, _ pass: ConfigurationPass) -> FeedSpec {
    var spec = FeedSpec(name: name, url: url)
    spec.kind = kind.whole(of: name, at: place, pass)
    spec.title = title
    spec.tags = tags
    spec.minimumInterval = minimumInterval
    spec.schedule = schedule
    spec.hours = hours
    if !schedule.isEmpty, !schedule.contains(where: { $0.canFire(inside: hours) }) {
      pass.report(
        "the schedule never fires inside the hours \(shown(hours.text))", at: whenPlace ?? place,
        cure: "change one of them, or leave one out")
    }
    spec.headers = headers
    spec.authentication = authentication.whole(ofFeedAt: place, pass)
    spec.identity = identity
    spec.firstRun = firstRun
    spec.filter = filter
    spec.updated = updated
    spec.notify = notify?.spec()
    spec.sharedNetwork = network
    return spec
  }

  private mutating func readFilter(_ field: Field?) {
    guard let field else { return }
    if field.node.isNone {
      filter = ItemFilter()
    } else if let keys = Section(field, path: "feeds.*.filter", expecting: "{include: [], exclude: []}") {
      keys.read("include", into: &filter.include, unset: []) { $0.patterns() }
      keys.read("exclude", into: &filter.exclude, unset: []) { $0.patterns() }
    }
  }

  private mutating func readNetwork(_ field: Field) {
    guard !field.node.isNone else {
      network = standardNetwork
      return
    }
    var settings = network.settings
    field.readNetwork(into: &settings, over: standardNetwork.settings)
    network = SharedNetwork(settings)
  }

  private mutating func readNotify(_ field: Field?) {
    guard let field else { return }
    if field.node.isNone {
      notify = nil
    } else if let keys = Section(field, path: "feeds.*.notify", expecting: "none or a mapping") {
      var draft = notify ?? NotifyDraft()
      draft.read(keys)
      notify = draft
    }
  }
}

extension Field {
  fileprivate func minimumInterval() -> MinimumInterval? {
    if isText, let word = text() {
      if word == "every-run" { return .everyRun }
      if word == "never" { return .never }
      if Interval(text: word) == .zero {
        report("minimum-interval \(word) is no time at all", cure: "write every-run")
        return nil
      }
    }
    return interval(atLeast: .seconds(1), or: ["every-run", "never"]).map { .every($0) }
  }

  fileprivate func schedule() -> [CronExpression]? {
    if case .sequence = node.content {
      return elements(expecting: "cron expressions")?.compactMap { $0.cronExpression() }
    }
    return cronExpression().map { [$0] }
  }

  fileprivate func firstRun() -> FirstRun? {
    guard case .mapping = node.content else { return firstRunWord() }
    guard let keys = Section(self, path: "feeds.*.first-run") else { return nil }
    var rule = FirstRun.none
    keys.read("notify", into: &rule) { $0.firstRunWord() }
    return rule
  }

  private func firstRunWord() -> FirstRun? {
    let words = ["none", "latest", "all"]
    let expected = "none, latest, all or a number"
    guard let text = text(expecting: expected) else { return nil }
    switch text {
    case "none": return FirstRun.none
    case "latest": return .latest
    case "all": return .all
    default:
      if Int(text) != nil { return wholeNumber(in: 0...1_000_000).map { .newest($0) } }
      reportUnknownWord(text, among: words, expecting: expected)
      return nil
    }
  }
}
