// The keys of a feed, read over those of `defaults`: one row a key.

import Core

/// A feed while it is read: first the keys of `defaults`, then its own.
struct FeedDraft {
  /// The values that need no other key.
  fileprivate var spec = FeedSpec(name: .unnamed, .command)
  fileprivate var kind = KindWord.feed
  fileprivate var json = JSONMapping(items: [], parts: [:])
  fileprivate var page = HTMLMapping()
  fileprivate var authentication = AuthenticationDraft()
  /// Whether one of its keys has a mistake; then it is not checked as a whole.
  private var isBroken = false
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

  /// The keys of a feed: mappings merge, lists replace, `none` removes.
  static let keys = Keys("feeds.*", FeedDraft(network: Shared(wrappedValue: NetworkSettings()))) { keys in
    keys.row(
      "url", "URL or secret", nil,
      "the address of the feed; a file: URL reads a local file; required unless there is a command")
    keys.row(
      "command", "list of text", nil,
      "a program and its arguments that print the document; with url, they filter the response")
    keys.key(
      "kind", \.kind, .word,
      "feed: RSS, Atom or JSON Feed, detected; json: any other JSON; html: a web page; asset: a single file")
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
      expecting: "none or a mapping such as {power: ac}",
      "what must hold for the feed to be fetched; a feed that is due waits for that")
    keys.key(
      "adapt", \.spec.adapt, .word,
      "habits: fetch shortly before the times you usually look; publisher: soon after it usually publishes")
    keys.row("headers", "mapping of text or secrets", "{}", "additional request headers") {
      field, draft throws(Mistake) in
      draft.spec.headers = field.node.isNone ? [] : try field.headers(over: draft.spec.headers)
    }
    keys.row("headers.*", "text or secret", nil, "the value of the header")
    keys.optional(
      "body", \.spec.body, .body,
      "the body of the request, which is then a POST; a mapping or list is sent as JSON")
    keys.optional(
      "cookies", \.spec.cookies, .path,
      "a browser's cookies.txt; its cookies for this host are sent")
    keys.row("auth", "mapping", "none", "the credentials") { field, draft throws(Mistake) in
      try draft.authentication.read(field)
    }
    keys.below(AuthenticationDraft.keys)
    keys.key("identity", \.spec.identity, .word, "the field that identifies an item")
    keys.row(
      "first-run", "none, latest, all or number", nil,
      "how many items of the first successful fetch to announce and download; by default to download the latest"
    ) { field, draft throws(Mistake) in
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
    ) { field, draft throws(Mistake) in
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
    keys.mapping(
      "json", \.json, JSONMapping.keys, expecting: JSONMapping.example, default: "none",
      "for kind json: where the items and their fields are")
    keys.mapping(
      "html", \.page, HTMLMapping.keys,
      expecting: "{items: \"article\", title: \"h2\", link: \"h2 a\"}", default: "none",
      "for kind html: where the items and their fields are; without items, each change of the text is an item"
    )
    keys.mappingOrNone(
      "download", \.spec.download, DownloadSpec.init, DownloadSpec.keys,
      expecting: "{} for every enclosure, or none", "which files to download; {} means all enclosures")
    keys.mappingOrNone(
      "notify", \.spec.notify, NotifySpec.init, NotifySpec.keys, expecting: "none or a mapping",
      default: "{}", "how new items are announced")
    keys.mapping(
      "push", \.spec.push, PushSpec.keys,
      expecting: "{url: \"https://planet.example/{content-id}.mp3\"} or {limit: 6/1h}",
      "what a push fetches, and how often pushes may fetch")
    keys.row(
      "network", "mapping", "{}", "for this feed: timeout, private-addresses and proxy of network"
    ) { field, draft throws(Mistake) in
      if field.node.isNone {
        draft.spec.$network = draft.$runNetwork
      } else {
        try NetworkSettings.keysOfFeed(draft.runNetwork).read(field, into: &draft.spec.network)
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
  /// Reads the keys of a mapping.
  mutating func read(_ keys: Section) {
    let before = keys.pass.mistakeCount
    Self.keys.read(keys, into: &self)
    isBroken = isBroken || keys.hasUnknownKeys || keys.pass.mistakeCount > before
    whenLocation = (keys["hours"] ?? keys["schedule"])?.node.location ?? whenLocation
  }

  /// The feed with all defaults; reports mistakes that only the whole feed shows.
  ///
  /// - Parameter keys: its own keys; nil for an address alone, and for the catalog.
  func spec(
    name: FeedName, _ source: FeedSource, _ keys: Section? = nil, at location: Location,
    _ pass: ConfigurationPass
  ) -> FeedSpec {
    var spec = spec
    spec.name = name
    spec.source = source
    guard !isBroken else { return spec }
    for word in [KindWord.json, .html] where word != kind && keys?.entry(word.rawValue) != nil {
      keys?.refuse(
        [word.rawValue], of: "a feed of kind \(kind)", cure: "write kind: \(word), or remove \(word)")
    }
    let place = keys?[kind.rawValue]?.keyLocation ?? location
    switch kind {
    case .feed: spec.kind = .feed
    case .asset: spec.kind = .asset
    case .html:
      page.check(at: place, pass)
      spec.kind = .html(page)
    case .json:
      json.check(of: name, at: place, pass)
      spec.kind = .json(json)
    }
    let isPageText = spec.kind.isPageText
    if isPageText { keys?.refuse(["content.page"], of: "a page whose text is watched") }
    if !spec.schedule.isEmpty, !spec.schedule.contains(where: { $0.canFire(inside: spec.hours) }) {
      pass.report(
        "the schedule never fires within the hours \(shown(spec.hours.text))", at: whenLocation ?? location,
        cure: "change or remove one of them")
    }
    spec.authentication = authentication.whole(ofFeedAt: location, pass)
    // Set only where it must be, so that the other feeds share the setting of `defaults`.
    if isPageText { spec.notify?.isOfPage = true }
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
      spec.push.url = nil
      spec.push.description = nil
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
