// The keys of a feed, read over those of `defaults`. One line per key.

import Core

/// A feed while it is read: first the keys of `defaults`, then its own.
struct FeedDraft {
  var kind = FeedKindDraft()
  private var title: String?
  private var tags: [String] = []
  private var minimumInterval: MinimumInterval?
  private var schedule: [CronExpression] = []
  private var hours = WeeklyHours.always
  /// The place of `hours`, or else of `schedule`, to report a schedule that never fires within the hours.
  private var whenPlace: Place?
  private var headers: [HeaderSpec] = []
  private var authentication = AuthenticationDraft()
  private var cookies: String?
  private var body: RequestBody?
  private var identity: IdentityRule = .guid
  private var firstRun: FirstRun = .none
  private var firstRunDownload: FirstRun = .latest
  private var filter = ItemFilter()
  private var updated: UpdatedRule = .silent
  /// The maximum content to store per item; nil stores none.
  private var contentLimit: ByteCount? = DetailBounds.content
  /// Which of its assets to download; nil means none, except for a feed of kind asset.
  private var download: DownloadDraft?
  /// The announcements; nil for none.
  var notify: NotifyDraft? = NotifyDraft()
  private var adaptsToHabits = false
  /// The place of the feed's own `adapt`.
  var adaptPlace: Place?
  private(set) var push = PushDraft()
  /// The `network` of the run.
  private let standardNetwork: SharedNetwork
  private var network: SharedNetwork

  init(network: SharedNetwork) {
    standardNetwork = network
    self.network = network
  }

  /// Reads the keys of a mapping: mappings merge, lists replace, `none` removes.
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
    keys.read("body", into: &body, unset: nil) { $0.requestBody() }
    keys.read("identity", into: &identity, unset: .guid) { $0.choice(of: IdentityRule.self) }
    if let field = keys["first-run"] { readFirstRun(field) }
    if let field = keys["updated"] { readUpdated(field) }
    keys.read("content", into: &contentLimit, unset: nil) { $0.contentLimit() }
    if let auth = keys["auth"] { authentication.read(auth) }
    keys.read("cookies", into: &cookies, unset: nil) { $0.path() }
    if let field = keys["filter"] { field.readFilter(into: &filter, path: "feeds.*.filter") }
    readDownload(keys["download"])
    readNotify(keys["notify"])
    readHabits(keys)
    readPush(keys["push"])
    if let field = keys["network"] { readNetwork(field) }
  }

  /// The feed with all defaults; reports mistakes that only the whole feed shows.
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
        "the schedule never fires within the hours \(shown(hours.text))", at: whenPlace ?? place,
        cure: "change or remove one of them")
    }
    spec.headers = headers
    spec.authentication = authentication.whole(ofFeedAt: place, pass)
    spec.cookies = cookies
    spec.body = kind.isAsset ? nil : body
    spec.identity = identity
    spec.firstRun = firstRun
    spec.firstRunDownload = firstRunDownload
    // The text of a page is compared with the stored text, so it is not filtered.
    spec.filter = kind.isPageText ? ItemFilter() : filter
    spec.updated = updated
    spec.contentLimit = contentLimit ?? (kind.isPageText ? DetailBounds.content : nil)
    if kind.isPageText { spec.contentLimit = spec.contentLimit.map { max($0, DetailBounds.leastPage) } }
    spec.sharedDownload = download?.shared ?? (kind.isAsset ? .standard : nil)
    spec.notify = notify?.spec()
    spec.adaptsToHabits = adaptsToHabits
    warnOfIdleHabits(pass)
    spec.sharedPush = kind.isAsset ? push.sharedOfAsset : push.shared
    spec.sharedNetwork = network
    return spec
  }

  /// Reads `first-run`, where a bare value sets both keys and `none` is an ordinary value.
  private mutating func readFirstRun(_ field: Field) {
    guard case .mapping = field.node.content else {
      guard let both = field.firstRunWord() else { return }
      (firstRun, firstRunDownload) = (both, both)
      return
    }
    guard let keys = Section(field, path: "feeds.*.first-run") else { return }
    keys.read("notify", into: &firstRun) { $0.firstRunWord() }
    keys.read("download", into: &firstRunDownload) { $0.firstRunWord() }
  }

  /// Reads `updated`, where a bare word sets both keys.
  private mutating func readUpdated(_ field: Field) {
    guard case .mapping = field.node.content else {
      let words = [("silent", UpdatedRule.silent), ("notify", .notify)]
      if let rule = field.node.isNone ? .silent : field.choice(words) { updated = rule }
      return
    }
    guard let keys = Section(field, path: "feeds.*.updated") else { return }
    updated.isReported = true
    keys.read("notify", into: &updated.isReported, unset: true) { $0.flag() }
    keys.read("at-most", into: &updated.atMost, unset: .days(1)) { $0.interval(atMost: .days(365)) }
  }

  /// Reads `download`; `{}`, or the key alone, downloads every enclosure.
  private mutating func readDownload(_ field: Field?) {
    guard let field else { return }
    if field.node.isNone {
      download = nil
    } else if let keys = Section(field, path: "feeds.*.download", expecting: field.downloadExample) {
      var draft = download ?? DownloadDraft()
      draft.read(keys, isAsset: kind.isAsset)
      download = draft
    }
  }

  private mutating func readHabits(_ keys: Section) {
    keys.read("adapt", into: &adaptsToHabits, unset: false) {
      $0.choice([("none", false), ("habits", true)])
    }
    adaptPlace = keys["adapt"]?.node.place ?? adaptPlace
  }

  /// Warns if a feed has `adapt: habits` and an interval that leaves nothing to choose.
  private func warnOfIdleHabits(_ pass: ConfigurationPass) {
    guard adaptsToHabits, let adaptPlace else { return }
    let interval: String
    switch minimumInterval {
    case .never: interval = "never"
    case .everyRun: interval = "every-run"
    case .every, nil: return
    }
    pass.warn(
      "adapt: habits has no effect with minimum-interval: \(interval)", at: adaptPlace,
      cure: "write a duration such as minimum-interval: 1h, or remove one of them")
  }

  /// Reads `push`; `none` removes the settings of `defaults`, and the feed still accepts pushes.
  private mutating func readPush(_ field: Field?) {
    guard let field else { return }
    if field.node.isNone {
      push = PushDraft()
    } else if let keys = Section(field, path: "feeds.*.push", expecting: field.pushExample) {
      push.read(keys)
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
  /// A correct `push`, made of the written value.
  fileprivate var pushExample: String {
    let example = "{url: \"https://planet.example/{content-id}.mp3\"} or {limit: 6/1h}"
    guard case .scalar(let scalar) = node.content else { return example }
    let word = scalar.text
    if word.contains("://") { return "{url: \"\(shown(word))\"}" }
    return likelyPushLimit(word).map { "{limit: \($0)}" } ?? example
  }

  fileprivate func contentLimit() -> ByteCount? {
    guard let size = size(atLeast: ByteCount(1), or: ["none"]) else { return nil }
    guard size <= DetailBounds.mostContent else {
      let most = DetailBounds.mostContent.written
      report("content \(size.written) is too large", cure: "write \(most) or less, or none")
      return nil
    }
    return size
  }

  fileprivate func minimumInterval() -> MinimumInterval? {
    if isText, let word = text() {
      if word == "every-run" { return .everyRun }
      if word == "never" { return .never }
      if Interval(text: word) == .zero || word == "0" {
        report("minimum-interval cannot be 0", cure: "write every-run")
        return nil
      }
    }
    return interval(atLeast: .seconds(1), or: ["every-run", "never"]).map { .every($0) }
  }

  func schedule() -> [CronExpression]? {
    if case .sequence = node.content {
      return elements(expecting: "cron expressions")?.compactMap { $0.cronExpression() }
    }
    return cronExpression().map { [$0] }
  }

  fileprivate func firstRunWord() -> FirstRun? {
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
