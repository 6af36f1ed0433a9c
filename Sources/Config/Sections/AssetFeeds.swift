// Keys without a meaning in a feed of kind `asset`, reported where the feed itself has them; in `defaults` they are
// for other feeds.

import Core

/// Reports the keys of a feed of kind `asset` that are about items, and warns of those about documents.
func reportWhatIsForItems(_ keys: Section) {
  let download = keys["download"]
  let ofItems =
    ["identity", "filter", "updated"].map { keys[$0] }
    + ["select", "filter", "limit"].map { download?.entry(under: $0) }
    + ["url", "description"].map { keys["push"]?.entry(under: $0)?.named("push.\($0)") }
  for field in ofItems.compactMap({ $0 }) where !field.node.isNone {
    field.pass.report(
      "\(field.name) is for feeds that have items, and one of kind asset is a file", at: field.keyPlace,
      cure: "remove it")
  }
  if let field = keys["first-run"]?.entry(under: "download") {
    field.pass.warn(
      "first-run.download does nothing in a feed of kind asset, whose file is always downloaded",
      at: field.keyPlace, cure: "remove it")
  }
  if let field = keys["network"]?.entry(under: "max-feed-size"), !field.node.isNone {
    field.pass.warn(
      "max-feed-size does not count for a file", at: field.keyPlace, cure: "write download: {max-size: …}")
  }
}

extension Field {
  /// Reports the address of a feed of kind `asset` that is a file of this machine.
  func reportFileAsAsset() {
    report(
      "url is a file of this machine already, and kind asset downloads one",
      cure: "write an http or https URL, or kind: feed for what stands in the file")
  }
}
