// The keys of a feed, read over those of `defaults`: one row a key.

import Core

/// A feed while it is read: first the keys of `defaults`, then its own.
struct FeedDraft {
  /// The values that need no other key.
  fileprivate var spec = FeedSpec(name: .unnamed, .command)
  fileprivate(set) var kind = KindWord.feed
  /// Whether a mistake about the kind was reported already.
  private(set) var isKindBroken = false
  private(set) var json = MappingDraft<JSONMapping>()
  private(set) var page = MappingDraft<HTMLMapping>()
  fileprivate var authentication = AuthenticationDraft()
  /// The announcements; nil for none.
  fileprivate var notify: NotifyDraft? = NotifyDraft()
  /// The location of `hours`, or else of `schedule`, to report a schedule that never fires within the hours.
  private var whenLocation: Location?
  /// The `network` of the run.
  @Shared var runNetwork: NetworkSettings

  /// A feed without any keys.
  init(network: Shared<NetworkSettings>, fingerprint: UInt64 = 0) {
    _runNetwork = network
    spec.$network = network
    spec.fingerprint = fingerprint
  }

  /// Adds the fingerprint of a mapping with keys of the feed.
  mutating func add(fingerprint: UInt64) { spec.fingerprint &+= fingerprint }

  var isAsset: Bool { kind == .asset }

  /// Whether changes of a page's text are the items.
  var isPageText: Bool { kind == .html && !page.hasItems }

  /// The keys of a feed: mappings merge, lists replace, `none` removes.
  static let keys = Keys("feeds.*", FeedDraft(network: Shared(wrappedValue: NetworkSettings()))) { keys in
    keys.row(
      "url", "URL or secret", nil,
      "the address of the feed; a file: URL reads a local file; required unless there is a command")
    keys.row(
      "command", "list of text", nil,
      "a program and its arguments that print the document; with url, they filter the response")
    keys.row(
      "kind", "feed, json, html or asset", "feed",
      "feed: RSS, Atom or JSON Feed, detected; json: any other JSON; html: a web page; asset: a single file"
    ) { field, draft, _ in
      let word =
        field.node.isNone
        ? .feed : field.reported { field throws(Mistake) in try ValueType.word.read(field) as KindWord }
      draft.kind = word ?? .feed
      draft.isKindBroken = draft.isKindBroken || word == nil
    }
    keys.optional("title", \.spec.title, .text, "the title to show instead of the feed's own")
    keys.key("tags", \.spec.tags, .tags, "labels that select several feeds at once, as in @linux")
    keys.key(
      "minimum-interval", \.spec.minimumInterval, .minimumInterval,
      "the minimum time between two fetches; by default 1h, or 24h if the server sends no validators")
    keys.key("schedule", \.spec.schedule, .schedule, "when the feed becomes due")
    keys.key(
      "hours", \.spec.hours, .hours, "when the feed may be fetched, for example \"mon-fri 08:00-18:00\"")
    keys.mappingOrNone(
      "when", \.spec.conditions, Conditions.init, Conditions.keysOfFeed,
      expecting: { _ in "none or a mapping such as {power: ac}" },
      "what must hold for the feed to be fetched; a feed that is due waits for that")
    keys.key(
      "adapt", \.spec.adapt, .word,
      "habits: fetch shortly before the times you usually look; publisher: soon after it usually publishes")
    keys.row("headers", "mapping of text or secrets", "{}", "additional request headers") {
      field, draft, _ throws(Mistake) in
      draft.spec.headers = field.node.isNone ? [] : try field.headers(over: draft.spec.headers)
    }
    keys.row("headers.*", "text or secret", nil, "the value of the header")
    keys.optional(
      "body", \.spec.body, .body,
      "the body of the request, which is then a POST; a mapping or list is sent as JSON")
    keys.optional(
      "cookies", \.spec.cookies, .path,
      "a browser's cookies.txt; its cookies for this host are sent")
    keys.row("auth", "mapping", "none", "the credentials") { field, draft, _ throws(Mistake) in
      try draft.authentication.read(field)
    }
    keys.below(AuthenticationDraft.keys)
    keys.key("identity", \.spec.identity, .word, "the field that identifies an item")
    keys.row(
      "first-run", "none, latest, all or number", nil,
      "how many items of the first successful fetch to announce and download; by default to download the latest"
    ) { field, draft, _ throws(Mistake) in
      draft.spec.firstRun = try field.firstRun()
      draft.spec.firstRunDownload = draft.spec.firstRun
    }
    keys.mapping(
      "filter", \.spec.filter,
      ItemFilter.keysOfFeed, expecting: ItemFilter.example,
      "which items to use; the others are ignored")
    keys.row(
      "content", "size, none or mapping", "1MiB",
      "the maximum content to store per item, and whether to take it from the item's page"
    ) { field, draft, _ throws(Mistake) in
      if field.isMapping {
        try contentKeys.read(field, into: &draft.spec)
      } else {
        draft.spec.contentLimit = try ValueType.content.orNone.read(field)
        draft.spec.articlePage = nil
      }
    }
    keys.below(contentKeys)
    keys.key(
      "updated", \.spec.updated, .updatedRule,
      "whether an edited item is announced; notify: at most once a day; a duration: at most once in this time"
    )
    keys.row(
      "json", "mapping or none", "none", "for kind json: where the items and their fields are"
    ) { field, draft, _ in draft.json.read(field) }
    keys.below(JSONMapping.keys)
    keys.row(
      "html", "mapping or none", "none",
      "for kind html: where the items and their fields are; without items, each change of the text is an item"
    ) { field, draft, _ in draft.page.read(field) }
    keys.below(HTMLMapping.keys)
    keys.mappingOrNone(
      "download", \.download, DownloadSpec.init, DownloadSpec.keys,
      expecting: { _ in "{} for every enclosure, or none" },
      "which files to download; {} means all enclosures")
    keys.mappingOrNone(
      "notify", \.notify, NotifyDraft.init, NotifyDraft.keys, expecting: { _ in "none or a mapping" },
      default: "{}",
      "how new items are announced")
    keys.mapping(
      "push", \.spec.push, PushSpec.keys,
      expecting: { _ in "{url: \"https://planet.example/{content-id}.mp3\"} or {limit: 6/1h}" },
      "what a push fetches, and how often pushes may fetch")
    keys.row(
      "network", "mapping", "{}", "for this feed: timeout, private-addresses and proxy of network"
    ) { field, draft, _ throws(Mistake) in
      if field.node.isNone {
        draft.spec.$network = draft.$runNetwork
      } else {
        try field.readNetwork(into: &draft.spec.network, ofRun: draft.runNetwork)
      }
    }
  }

  private static let contentKeys = Keys("feeds.*.content", FeedSpec(name: .unnamed, .command)) {
    keys in
    keys.key(
      "size", \.contentLimit, ValueType.content.orNone,
      "the maximum content, up to 4MiB; none stores only the summary")
    keys.key(
      "page", \.articlePage,
      .selector { text throws(TextProblem) in
        let elements = text == "auto" ? nil : try SelectorList(parsing: text)
        return HTMLMapping(text: elements, isArticle: true)
      },
      default: "none",
      "the elements of an item's page that are its content, or auto; each new item's page is fetched")
  }
}

extension FeedDraft {
  /// Which of its assets to download, over what `defaults` says; nil means none.
  fileprivate var download: DownloadSpec? {
    get { spec.download }
    set { spec.download = newValue }
  }

  /// Reads the keys of a mapping.
  mutating func read(_ keys: Section) {
    isKindBroken = isKindBroken || keys.misspelt.contains("json") || keys.misspelt.contains("kind")
    Self.keys.read(keys, into: &self)
    whenLocation = (keys["hours"] ?? keys["schedule"])?.node.location ?? whenLocation
  }

  /// Reads the keys of `defaults` or of a tag of the catalog, whose locations are not those of a feed.
  mutating func readDefaults(_ keys: Section) {
    read(keys)
    json.location = nil
    page.location = nil
  }

  /// The feed with all defaults; reports mistakes that only the whole feed shows.
  func spec(
    name: FeedName, _ source: FeedSource, at location: Location, _ pass: ConfigurationPass
  ) -> FeedSpec {
    var spec = spec
    spec.name = name
    spec.source = source
    spec.kind = wholeKind(of: name, at: location, pass)
    if !spec.schedule.isEmpty, !spec.schedule.contains(where: { $0.canFire(inside: spec.hours) }) {
      pass.report(
        "the schedule never fires within the hours \(shown(spec.hours.text))", at: whenLocation ?? location,
        cure: "change or remove one of them")
    }
    spec.authentication = authentication.whole(ofFeedAt: location, pass)
    spec.notify = notify?.spec
    spec.notify?.isOfPage = isPageText
    if isPageText || isAsset || spec.contentLimit == nil { spec.articlePage = nil }
    // The text of a page is compared with the stored text.
    if isPageText { spec.contentLimit = DetailBounds.mostContent }
    if isAsset {
      if case .file = source {
        pass.report(
          "kind asset does not apply to a file of this machine", at: location,
          cure: "write an http or https URL, or kind: feed to read items from the file")
      }
      // Keys of `defaults` about documents and other files do not apply.
      spec.body = nil
      if spec.download == nil { spec.download = DownloadSpec() }
      if spec.push.url != nil || spec.push.description != nil {
        spec.push.url = nil
        spec.push.description = nil
      }
    }
    return spec
  }
}

// MARK: Values

extension ValueType<UpdatedRule> {
  fileprivate static let updatedRule = Self(
    "silent, notify or duration", none: .silent, write: { _ in "silent" }
  ) { field throws(Mistake) in
    let expected = "silent, notify or a duration such as 2h"
    switch try field.text(expecting: expected) {
    case "silent": return .silent
    case "notify": return .notify
    case let text where text.first?.isNumber == true:
      var rule = UpdatedRule.notify
      rule.atMost = try field.interval(atMost: .days(365))
      return rule
    case let text: throw field.unknownWord(text, among: ["silent", "notify"], expecting: expected)
    }
  }
}

extension ValueType<ByteCount> {
  fileprivate static let content = Self("size", write: \.written) { field throws(Mistake) in
    let size = try field.size(atLeast: ByteCount(1))
    try field.require(
      size <= DetailBounds.mostContent, "content \(size.written) is too large",
      cure: "write \(DetailBounds.mostContent.written) or less")
    return size
  }
}

extension ValueType<MinimumInterval?> {
  fileprivate static let minimumInterval = Self("duration, every-run or never", write: { _ in "none" }) {
    field throws(Mistake) in
    if field.isText {
      let word = try field.text()
      if word == "every-run" { return .everyRun }
      if word == "never" { return .never }
      if Interval(text: word) == .zero || word == "0" {
        throw field.mistake("minimum-interval cannot be 0", cure: "write every-run")
      }
    }
    return .every(try field.interval(atLeast: .seconds(1), or: ["every-run", "never"]))
  }
}

extension Field {
  fileprivate func firstRun() throws(Mistake) -> FirstRun {
    let words: [(word: String, value: FirstRun)] = [("none", .none), ("latest", .latest), ("all", .all)]
    let expected = "none, latest, all or a number"
    let text = try text(expecting: expected)
    if let choice = words.first(where: { $0.word == text }) { return choice.value }
    if Int(text) != nil { return .newest(try wholeNumber(in: 0...1_000_000)) }
    throw unknownWord(text, among: words.map(\.word), expecting: expected)
  }
}
