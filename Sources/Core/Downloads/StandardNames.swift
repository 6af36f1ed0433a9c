// What downloaded files are called where the configuration does not say it.

extension DownloadSpec {
  /// The template of file names where none is configured: `{feed}/{published:%Y-%m-%d} {title}{ext}` for assets of items,
  /// `{feed}/{name}{ext}` for the body of a feed of kind `asset`, which has a name and no title.
  public static func defaultName(for kind: FeedKind) -> Template {
    if case .asset = kind { bodyName } else { assetName }
  }

  /// The template of file names of a feed's downloads, configured or not.
  public func fileName(for kind: FeedKind) -> Template { name ?? Self.defaultName(for: kind) }

  private static let assetName = ours("{feed}/{published:%Y-%m-%d} {title}{ext}")
  private static let bodyName = ours("{feed}/{name}{ext}")

  /// A template of ours; losing the error is the rule here, since these have none: a test fills each of them in.
  private static func ours(_ text: String) -> Template {
    (try? Template(parsing: text)) ?? Template(literal: text)
  }
}
