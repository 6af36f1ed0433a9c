// `profiles`: the settings of the feeds of the catalog, which have none of their own.

import Core

/// Reads the profiles of the main file, each over its `defaults`.
func readProfiles(_ top: Section, network: NetworkSettings) -> FeedProfiles {
  var profiles = FeedProfiles()
  profiles.network = SharedNetwork(network)
  let nothing = FeedDraft(network: profiles.network)
  // Defaults need not make a whole feed, so the mistakes of such a feed are not reported.
  let aside = ConfigurationPass(file: top.pass.file, path: top.pass.path, context: top.pass.context)
  let alone = readDefaults(top["defaults"]?.reporting(to: aside), over: nothing)
  let standard = profileSpec(alone, at: top.place, aside)
  if aside.isUsable, let standard, !standard.holdsSecrets { profiles.standard = standard }
  guard let field = top["profiles"] else { return profiles }
  let defaults = readDefaults(top["defaults"], over: nothing)
  for entry in field.entries(expecting: "a mapping of names such as podcasts: {download: {}}") ?? [] {
    if FeedName(entry.key) == nil { top.pass.report(badName(entry, of: "profile")) }
    let draft = readDefaults(Field(entry, top.pass), over: defaults)
    guard let spec = profileSpec(draft, at: entry.place, top.pass) else { continue }
    if spec.holdsSecrets {
      top.pass.report(
        "profile \"\(shown(entry.key))\" has a secret, which any address in the catalog could get",
        at: entry.place, cure: "write such feeds under feeds:")
    }
    profiles.named[entry.key] = spec
  }
  return profiles
}

private func profileSpec(_ draft: FeedDraft, at place: Place, _ pass: ConfigurationPass) -> FeedSpec? {
  FeedName("profile").map { draft.spec(name: $0, url: .plain("https://feed.example/"), at: place, pass) }
}

extension FeedSpec {
  /// Whether a request of the feed may have a secret.
  fileprivate var holdsSecrets: Bool {
    let hasSecretHeader = headers.contains { if case .secret = $0.value { true } else { false } }
    let hasSecretBody = (body?.pieces ?? []).contains { if case .text = $0 { false } else { true } }
    return authentication != nil || cookies != nil || hasSecretHeader || hasSecretBody
  }
}
