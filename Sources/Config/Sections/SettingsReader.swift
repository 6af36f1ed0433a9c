// The top level of the main file, the keys to which all files contribute, and `budget`.

import Core

/// Reads all files, the main one first; with a mistake the settings must not be used.
///
/// `isComplete` is false if a file is missing; then unknown names are not reported.
func readSettings(
  _ parts: [ConfigurationPart], path: String, isComplete: Bool, _ context: ConfigurationContext
) -> Settings? {
  guard let main = parts.first else { return nil }
  let top = main.top
  var settings = readPlaces(top, path: path, main.pass)
  top.read("timezone", into: &settings.timezone) { $0.timezone() }
  top.read("free-space", into: &settings.freeSpace) { $0.size(atLeast: ByteCount(0)) }
  if let budget = top["budget"] { readBudget(budget, into: &settings.budget) }
  if let network = top["network"] { readNetwork(network, into: &settings.network) }
  let reading = readFeeds(parts, network: settings.network, isShared: settings.isShared, context)
  let feeds = FeedList(reading.feeds)
  settings.feeds = feeds
  settings.profiles = readProfiles(top, network: settings.network)
  if feeds.isEmpty, isComplete { reportNoFeeds(parts) }
  let known = isComplete && reading.areAllKnown ? feeds : nil
  settings.outputs = readOutputs(top, feeds: known)
  settings.hooks = readHooks(parts, feeds: known)
  if isComplete { for part in parts { checkMentionedHooks(settings.hooks, part.pass) } }
  if settings.isShared { settings.sharedSections = sharedSections(parts, feeds: reading.fingerprint) }
  return settings
}

/// The state directory, the documents directory and the badge file, which is in the state directory by default.
///
/// In a system-wide configuration they are where system services have them (`SystemPlaces`).
private func readPlaces(_ top: Section, path: String, _ pass: ConfigurationPass) -> Settings {
  func standard(_ path: String) -> String? {
    do throws(PathProblem) {
      return absolutePath(try expandedPath(path, pass.context), in: "/")
    } catch {
      return nil
    }
  }
  // systemd sets it for a unit with StateDirectory=, as a list with colons between the directories (systemd.exec(5)).
  let serviceState = pass.context.environment["STATE_DIRECTORY"]?.split(separator: ":").first.map(String.init)
  var documents = standard("$XDG_DATA_HOME/bgfetch/documents")
  var state = standard("$XDG_STATE_HOME/bgfetch")
  if SystemPlaces.contains(configuration: path) {
    state = SystemPlaces.state
    documents = SystemPlaces.state + "/documents"
  }
  if let serviceState { state = absolutePath(serviceState, in: "/") }
  var badge: String?
  let bucket = top["documents"].flatMap { $0.isMapping ? $0.bucket() : nil }
  if bucket == nil { top.read("documents", into: &documents) { $0.path() } }
  let server = top["state"].flatMap { $0.isText ? nil : $0.stateServer() }
  if server == nil { top.read("state", into: &state) { $0.path() } }
  top.read("badge", into: &badge) { $0.path() }
  if let named = pass.context.state { state = named }
  for (key, value) in [("documents", documents), ("state", state)]
  where value == nil && (top[key] == nil || key == "state" && server != nil) {
    pass.report(
      "\(key) has no default without a home directory", at: top.place, cure: "write \(key): /absolute/path")
  }
  let stateDirectory = state ?? "/"
  var settings = Settings(
    path: path, documents: bucket?.address ?? documents ?? "/", state: stateDirectory,
    badge: badge ?? (server == nil ? absolutePath("badge", in: stateDirectory) : nil))
  (settings.server, settings.bucket) = (server, bucket)
  return settings
}

extension Field {
  /// The database in place of a state directory.
  fileprivate func stateServer() -> StateServer? {
    guard let keys = Section(self, path: "state", expecting: "a path, or {postgres: \"dbname=bgfetch\"}")
    else {
      return nil
    }
    var place: String?
    var password: Secret?
    keys.read("postgres", into: &place) { $0.serverPlace() }
    keys.read("password", into: &password) { $0.secret() }
    if place == nil, keys["postgres"] == nil {
      report(
        "\(name) names no database", cure: "write postgres: \"host=db.example dbname=bgfetch user=bgfetch\"")
    }
    return StateServer(place: place ?? "", password: password)
  }

  /// A connection string or URI without a password.
  private func serverPlace() -> String? {
    guard let text = someText(expecting: "a connection string such as host=db.example dbname=bgfetch") else {
      return nil
    }
    let isURI = text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    let user =
      isURI ? text.split(separator: "/").dropFirst().first?.split(separator: "@", maxSplits: 1).first : nil
    if text.lowercased().contains("password") || (text.contains("@") && user?.contains(":") == true) {
      report("\(name) must not hold a password", cure: "write password: {file: PATH} beside it")
    } else if !isURI, !text.contains("=") {
      report(
        "\(name) is not a connection string",
        cure: "write host=db.example dbname=bgfetch user=bgfetch, or a postgresql:// URI")
    }
    return text
  }
}

extension Field {
  /// A time zone; an inner nil is the system's.
  fileprivate func timezone() -> String?? {
    guard let text = someText(expecting: "system or a time zone such as Europe/Berlin") else {
      return nil
    }
    if text == "system" { return .some(nil) }
    if !pass.context.isZone(text) {
      report(
        "\(name) \"\(shown(text))\" is not known on this machine",
        cure: "write system, or a name such as Europe/Berlin")
    }
    return .some(text)
  }
}

/// Reads `budget` over its defaults.
func readBudget(_ field: Field, into budget: inout Budget) {
  if field.isText {
    if let fetch = field.phase() { budget.fetch = fetch }
    return
  }
  guard
    let keys = Section(
      field, path: "budget", expecting: "a duration, or {fetch: 3m, transfers: none, warning: 10s}")
  else {
    return
  }
  keys.read("fetch", into: &budget.fetch) { $0.phase() }
  keys.read("transfers", into: &budget.transfers) { $0.phase() }
  keys.read("warning", into: &budget.warning) { $0.interval(atMost: .hours(1)) }
  warnOfLongWarning(keys, budget)
}

/// Warns if `warning` is longer than the part of a phase that it may take.
private func warnOfLongWarning(_ keys: Section, _ budget: Budget) {
  guard let field = keys["warning"] else { return }
  for (name, phase) in [("fetch", budget.fetch), ("transfers", budget.transfers)] {
    guard let phase, case let most = Interval(seconds: phase.seconds / 5), budget.warning > most else {
      continue
    }
    field.pass.warn(
      "warning \(budget.warning.text) is more than a fifth of \(name) \(phase.text), so only \(most.text) are used",
      at: field.node.place, cure: nil)
  }
}

extension Field {
  /// A duration, or `none` for no end.
  fileprivate func phase() -> Interval?? {
    if node.isNone { return .some(nil) }
    return interval(atLeast: .seconds(1), or: ["none"]).map { .some($0) }
  }
}
