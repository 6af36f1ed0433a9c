// `catalog`: the settings of feeds that stand in the store, by their tags.

import Core

/// Reads the settings of feeds of the catalog from the main file, those of each tag over its `defaults`.
func readCatalogSettings(_ top: Section, over blank: FeedDraft) -> CatalogSettings {
  var settings = CatalogSettings()
  settings.network = blank.runNetwork
  // Defaults need not make a whole feed, so the mistakes of such a feed are not reported.
  let aside = ConfigurationPass(file: top.pass.file, path: top.pass.path, context: top.pass.context)
  let alone = readDefaults(top["defaults"]?.reporting(to: aside), over: blank)
  let standard = catalogSpec(alone, at: top.location, aside)
  if aside.isUsable, let standard, !standard.holdsSecrets { settings.standard = standard }
  guard let field = top["catalog"] else { return settings }
  let defaults = readDefaults(top["defaults"], over: blank)
  for entry in field.namedEntries(expecting: "a mapping of tags such as podcasts: {download: {}}") {
    let field = Field(entry, top.pass)
    if !isTag(entry.key) {
      let (what, cure) = mistake(inTag: entry.key)
      top.pass.report(what, at: entry.location, cure: cure)
    }
    guard let spec = catalogSpec(readDefaults(field, over: defaults), at: entry.location, top.pass) else {
      continue
    }
    if spec.holdsSecrets {
      top.pass.report(
        "catalog.\(shown(entry.key)) has a secret, which any address in the catalog could get",
        at: entry.location, cure: "write such feeds under feeds:")
    }
    settings.byTag[entry.key] = spec
  }
  return settings
}

private func catalogSpec(_ draft: FeedDraft, at location: Location, _ pass: ConfigurationPass) -> FeedSpec? {
  FeedName("catalog").map { draft.spec(name: $0, .command, at: location, pass) }
}

extension FeedSpec {
  /// Whether a request of the feed may have a secret.
  fileprivate var holdsSecrets: Bool {
    let hasSecretHeader = headers.contains { if case .secret = $0.value { true } else { false } }
    let hasSecretBody = (body?.pieces ?? []).contains { if case .text = $0 { false } else { true } }
    return authentication != nil || cookies != nil || hasSecretHeader || hasSecretBody
  }
}
