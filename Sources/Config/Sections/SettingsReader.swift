// The top level of the file.

import Model
import Timing

/// Reads the whole file; what is wrong is reported, and the settings are then worth nothing.
func readSettings(_ root: Node, path: String, _ pass: ConfigurationPass) -> Settings? {
  guard case .mapping(let entries) = root.content else {
    pass.report("the file is not a mapping of keys", at: root.place, cure: KeyTable.feedsExample)
    return nil
  }
  let top = Section(entries, at: root.place, path: "", pass)
  var settings = readPlaces(top, path: path, pass)
  top.read("timezone", into: &settings.timezone) { $0.timezone() }
  if let budget = top["budget"] { readBudget(budget, into: &settings.budget) }
  if let network = top["network"] { readNetwork(network, into: &settings.network) }
  settings.feeds = readFeeds(top, pass)
  settings.hooks = top["hooks"].map { readHooks($0, feeds: settings.feeds) } ?? []
  checkMentionedHooks(settings.hooks, pass)
  return settings
}

/// The three places, of which the badge follows the state directory where neither is said.
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
  /// A time zone; nil inside is the system's.
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
