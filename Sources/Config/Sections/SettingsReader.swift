// The top level of the main file, and the keys to which all files contribute.

import Core

/// Reads all files, the main one first; with a mistake the settings must not be used.
///
/// `areAll` is false if a file is missing; then unknown names are not reported.
func readSettings(_ parts: [ConfigurationPart], path: String, areAll: Bool) -> Settings? {
  guard let main = parts.first else { return nil }
  let top = main.top
  var settings = readPlaces(top, path: path, main.pass)
  top.read("timezone", into: &settings.timezone) { $0.timezone() }
  top.read("free-space", into: &settings.freeSpace) { $0.size(atLeast: ByteCount(0)) }
  if let budget = top["budget"] { readBudget(budget, into: &settings.budget) }
  if let network = top["network"] { readNetwork(network, into: &settings.network) }
  settings.feeds = readFeeds(parts, network: settings.network)
  if settings.feeds.isEmpty, areAll { reportNoFeeds(parts) }
  settings.hooks = readHooks(parts, feeds: areAll ? settings.feeds : nil)
  if areAll { for part in parts { checkMentionedHooks(settings.hooks, part.pass) } }
  return settings
}

/// The state directory, the documents directory and the badge file, which is in the state directory by default.
private func readPlaces(_ top: Section, path: String, _ pass: ConfigurationPass) -> Settings {
  func standard(_ path: String) -> String? {
    do throws(PathProblem) {
      return absolutePath(try expandedPath(path, pass.context), in: "/")
    } catch {
      return nil
    }
  }
  // systemd gives a unit with StateDirectory= its directories, with colons between them (systemd.exec(5)).
  let ofService = pass.context.environment["STATE_DIRECTORY"]?.split(separator: ":").first.map(String.init)
  var documents = standard("$XDG_DATA_HOME/bgfetch/documents")
  var state = ofService.map { absolutePath($0, in: "/") } ?? standard("$XDG_STATE_HOME/bgfetch")
  var badge: String?
  top.read("documents", into: &documents) { $0.path() }
  top.read("state", into: &state) { $0.path() }
  top.read("badge", into: &badge) { $0.path() }
  if let named = pass.context.state { state = named }
  for (key, value) in [("documents", documents), ("state", state)] where value == nil && top[key] == nil {
    pass.report(
      "there is no home directory to put \(key) in", at: top.place, cure: "write \(key): /absolute/path")
  }
  let stateDirectory = state ?? "/"
  return Settings(
    path: path, documents: documents ?? "/", state: stateDirectory,
    badge: badge ?? absolutePath("badge", in: stateDirectory))
}

extension Field {
  /// A time zone; an inner nil is the system's.
  fileprivate func timezone() -> String?? {
    guard let text = someText(expecting: "system or a time zone such as Europe/Berlin"), !text.isEmpty else {
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
