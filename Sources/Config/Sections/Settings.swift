// The top level of the main file, and the keys to which all files contribute.

import Core

extension Settings {
  /// The keys of the top level.
  static let keys = Keys("", Settings(path: "", documents: "", state: "", badge: nil)) { keys in
    keys.row(
      "documents", "path or mapping", "$XDG_DATA_HOME/bgfetch/documents",
      "the directory for downloaded files, or a part of an S3 bucket")
    keys.below(BucketSpec.keys)
    keys.row(
      "state", "path or mapping", "$XDG_STATE_HOME/bgfetch",
      "the directory for state kept between runs, or the PostgreSQL database that several machines share")
    keys.below(StateServer.keys)
    keys.optional(
      "badge", \.badge, .path, default: "$XDG_STATE_HOME/bgfetch/badge",
      "the file with the number of unseen items")
    keys.row(
      "outputs", "mapping", "{}", "files to write from items, by path: HTML pages, or feeds for other readers"
    )
    keys.row("outputs.*", "mapping", nil, "an output file")
    keys.below(OutputSpec.keys)
    keys.key("timezone", \.timezone, .timezone, "the time zone of schedules and hours")
    keys.key(
      "free-space", \.freeSpace, .size(),
      "suspend transfers if the file system has less free space than this")
    keys.row(
      "history", "duration", Retention.history.text,
      "how long fetches, requests and runs are kept, and events that all hooks have had"
    ) { field, settings throws(Mistake) in
      settings.history = try field.interval(atLeast: .days(1))
      settings.events = settings.history
    }
    keys.row(
      "include", "path or list of paths", "[]", "further configuration files, with feeds, hooks and defaults")
    keys.key(
      "budget", \.budget, ValueType.interval(.seconds(1)).orNone, "the time limit of a run for fetching feeds"
    )
    keys.mapping("network", \.network, NetworkSettings.keys, "settings for all requests")
    keys.row("defaults", "mapping", "{}", "keys for every feed that does not set them itself")
    keys.row("catalog", "mapping", "{}", "keys for feeds of the catalog, by tag")
    keys.row("catalog.*", "mapping", nil, "the keys of feeds with this tag, over those of defaults")
    keys.row("feeds", "mapping", nil, "the feeds by name")
    keys.row("feeds.*", "URL or mapping", nil, "a feed, or just its address")
    keys.below(FeedDraft.keys)
    keys.row("hooks", "mapping", "{}", "the hooks by name")
    keys.row("hooks.*", "mapping", nil, "a hook")
    keys.below(HookSpec.keys)
  }
}

/// Reads all files; with a mistake the settings must not be used.
///
/// If a file is missing, unknown names are not reported.
func readSettings(_ main: ConfigurationPart, and included: IncludedParts) -> Settings {
  let parts = [main] + included.parts
  let isComplete = included.isComplete
  let top = main.top
  var settings = readPlaces(top)
  Settings.keys.read(top, into: &settings)
  let blank = FeedDraft(
    network: Shared(wrappedValue: settings.network),
    fingerprint: top["network"]?.fingerprint(below: "network") ?? 0)
  let reading = readFeeds(parts, over: blank, isShared: settings.server != nil)
  let feeds = FeedList(reading.feeds)
  settings.feeds = feeds
  settings.catalog = readCatalogSettings(top, over: blank)
  if feeds.isEmpty, isComplete, !main.pass.context.mayLackFeeds { reportNoFeeds(parts) }
  // Without all feeds, words that select none are not reported.
  if isComplete, reading.areAllKnown { for part in parts { part.pass.feeds = FeedWords(feeds) } }
  settings.outputs = readOutputs(top)
  settings.hooks = readHooks(parts)
  if isComplete { for part in parts { checkMentionedHooks(settings.hooks, part.pass) } }
  if settings.server != nil { settings.sharedSections = sharedSections(parts, feeds: reading.fingerprint) }
  return settings
}

/// The settings with the state directory, the documents directory and the badge file, which is in the state directory by
/// default.
///
/// In a system-wide configuration they are where system services have them (`SystemPlaces`).
private func readPlaces(_ top: Section) -> Settings {
  let pass = top.pass
  func standard(_ path: String) -> String? {
    (try? expandedPath(path, pass)).map { absolutePath($0, in: "/") }
  }
  // systemd sets it for a unit with StateDirectory=, as a list with colons between the directories (systemd.exec(5)).
  let serviceState = pass.context.environment["STATE_DIRECTORY"]?.split(separator: ":").first.map(String.init)
  var documents = standard("$XDG_DATA_HOME/bgfetch/documents")
  var state = standard("$XDG_STATE_HOME/bgfetch")
  if SystemPlaces.contains(configuration: pass.path) {
    state = SystemPlaces.state
    documents = SystemPlaces.state + "/documents"
  }
  if let serviceState { state = absolutePath(serviceState, in: "/") }
  var bucket: BucketSpec?
  if let field = top["documents"] {
    if field.isMapping {
      bucket = pass.reported(try field.bucket())
    } else {
      documents = pass.reported(try field.path())
    }
  }
  var server: StateServer?
  if let field = top["state"] {
    if field.isText {
      state = pass.reported(try field.path())
    } else {
      server = pass.reported(try field.stateServer())
    }
  }
  for (key, value) in [("documents", documents), ("state", state)]
  where value == nil && (top[key] == nil || key == "state" && server != nil) {
    pass.report(
      "\(key) has no default without a home directory", at: top.location, cure: "write \(key): /absolute/path"
    )
  }
  let stateDirectory = state ?? "/"
  var settings = Settings(
    path: pass.path, documents: bucket?.address ?? documents ?? "/", state: stateDirectory,
    badge: server == nil ? absolutePath("badge", in: stateDirectory) : nil)
  settings.server = server
  settings.bucket = bucket
  if server != nil { (settings.history, settings.events) = Retention.shared }
  return settings
}

extension ValueType<String?> {
  /// A time zone; nil is the system's.
  fileprivate static let timezone = Self("time zone or system", write: { $0 ?? "system" }) {
    field throws(Mistake) in
    let text = try field.someText(expecting: "system or a time zone such as Europe/Berlin")
    try field.require(
      text == "system" || field.pass.context.isZone(text),
      "\(field.name) \"\(shown(text))\" is not known on this machine",
      cure: "write system, or a name such as Europe/Berlin")
    return text == "system" ? nil : text
  }
}

// MARK: Fingerprints of what is written

extension Field {
  /// The fingerprint of the key with its value.
  ///
  /// - Parameter path: the path of the key in the table; below a key without machine's keys it is not needed.
  func fingerprint(below path: String = "") -> UInt64 { Fingerprint(of: key, node, below: path).value }

  /// The fingerprint of the value alone: a feed that is renamed is still the same one.
  var valueFingerprint: UInt64 { Fingerprint(of: "", node, below: "").value }
}

extension Fingerprint {
  fileprivate init(of key: String, _ node: Node, below path: String) {
    self.init(of: key)
    add(node, below: path)
  }

  fileprivate mutating func add(_ node: Node, below path: String) {
    switch node.content {
    case .scalar(let scalar):
      // `none` removes a value, "none" is a text.
      add(byte: node.isNull || node.isNone ? 0 : 1)
      add(scalar.text)
    case .sequence(let nodes):
      add(byte: 2)
      for node in nodes { add(node, below: "") }
      add(byte: 3)
    case .mapping(let entries):
      add(byte: 4)
      let left = path.isEmpty ? nil : KeyTable.keysOfMachine[path]
      let inner = path == "hooks" ? "hooks.*" : ""
      let kept = entries.lazy.filter { left?.contains($0.key) != true }
      add(number: kept.reduce(0) { $0 &+ Fingerprint(of: $1.key, $1.value, below: inner).value })
    case .unusable: add(byte: 5)
    }
  }
}
