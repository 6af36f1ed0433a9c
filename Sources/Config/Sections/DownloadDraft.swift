// `download`: which files to download, to which directory, and which to keep. FileNames has their names.

import Core

/// The `download` of a feed while it is read: first that of `defaults`, then the feed's own keys.
struct DownloadDraft {
  private var spec = DownloadSpec()

  /// The settings, shared by all feeds that add nothing to `defaults`.
  private(set) var shared = SharedDownload.standard

  /// Reads the keys of a mapping; only a feed of kind asset may have a fixed name.
  mutating func read(_ keys: Section, isAsset: Bool) {
    keys.read("select", into: &spec.select, unset: .enclosures) { $0.choice(of: AssetSelection.self) }
    keys.read("directory", into: &spec.directory, unset: nil) { $0.path() }
    keys.read("types", into: &spec.types, unset: []) { $0.mediaTypes() }
    if let field = keys["filter"] { field.readFilter(into: &spec.filter, path: "feeds.*.download.filter") }
    keys.read("name", into: &spec.name, unset: nil) { $0.fileName(isOneFile: isAsset) }
    keys.read("limit", into: &spec.limit, unset: nil) { $0.wholeNumber(in: 1...1_000_000) }
    keys.read("max-size", into: &spec.maxSize, unset: nil) { $0.size(atLeast: ByteCount(1), or: ["none"]) }
    let keep = keys["keep"]
    if let keep { keep.readKeep(into: &spec.keep) }
    keys.read("insecure-redirects", into: &spec.insecureRedirects, unset: .refuse) {
      $0.choice(of: InsecureRedirects.self)
    }
    keys.read("priority", into: &spec.priority, unset: 0) { $0.wholeNumber(in: -1000...1000) }
    if let field = keep?.entry(under: "size") ?? keys["max-size"] { warnOfLittleRoom(field) }
    shared = SharedDownload(spec)
  }

  /// Warns if one allowed file may fill the size that `keep` allows.
  private func warnOfLittleRoom(_ field: Field) {
    guard let most = spec.maxSize, let room = spec.keep.size, room < most else { return }
    field.pass.warn(
      "keep.size is \(room.written) and max-size is \(most.written): one file may displace all others",
      at: field.node.place, cure: "reduce max-size, or raise keep.size")
  }
}

extension Field {
  /// Reads a filter over an earlier one; `none` removes it.
  func readFilter(into filter: inout ItemFilter, path: String) {
    if node.isNone {
      filter = ItemFilter()
    } else if let keys = Section(self, path: path, expecting: "{include: [], exclude: []}") {
      keys.read("include", into: &filter.include, unset: []) { $0.patterns() }
      keys.read("exclude", into: &filter.exclude, unset: []) { $0.patterns() }
    }
  }

  /// The field of a key, if this is a mapping that has it; reports nothing.
  func entry(under key: String) -> Field? {
    guard case .mapping(let entries) = node.content else { return nil }
    return entries.first { $0.key == key }.map { Field($0, pass) }
  }

  /// A correct `download`, made of the written value.
  var downloadExample: String {
    guard case .scalar(let scalar) = node.content else { return "{} for every enclosure, or none" }
    let word = scalar.text.lowercased()
    if ["false", "no", "off", "never"].contains(word) { return "none" }
    if AssetSelection(rawValue: word) != nil { return "{select: \(word)}" }
    if let type = likelyMediaType(of: word) {
      return "{types: [\"\(type)\"]} for the enclosures of that type"
    }
    if ["/", "~", "$", "./"].contains(where: word.hasPrefix) {
      return "{directory: \(shown(scalar.text))}"
    }
    return "{} for every enclosure, or none"
  }

  fileprivate func readKeep(into keep: inout KeepRule) {
    guard !node.isNone else {
      keep = KeepRule()
      return
    }
    guard let keys = Section(self, path: "feeds.*.download.keep", expecting: keepExample) else { return }
    keys.read("count", into: &keep.count, unset: nil) { $0.wholeNumber(in: 1...1_000_000) }
    keys.read("age", into: &keep.age, unset: nil) { $0.interval(atLeast: .seconds(1), or: ["none"]) }
    keys.read("size", into: &keep.size, unset: nil) { $0.size(atLeast: ByteCount(1), or: ["none"]) }
  }

  /// A correct `keep`: the limit that a bare value probably means.
  private var keepExample: String {
    if case .scalar(let scalar) = node.content {
      let word = scalar.text
      if ["all", "forever"].contains(word) { return "none" }
      if Int(word) != nil { return "{count: \(word)}" }
      if Interval(text: word) != nil { return "{age: \(word)}" }
      if ByteCount(text: word) != nil { return "{size: \(word)}" }
    }
    return "{count: 50}, {age: 90d} or {size: 20GiB}"
  }
}
