// The name under which a downloaded file is placed. Whether it is free is Host's business.

/// A path below the documents directory, safe on any file system, with as many others as are needed where it is taken.
public struct AssetName: Hashable, Sendable {
  /// The directories, one below the other; may be empty.
  private var directories: [NumberedName]
  /// The name without its extension.
  private let stem: String
  /// The extension with its dot; may be empty.
  private let suffix: String

  init(directories: [String], stem: String, suffix: String) {
    self.directories = directories.map { NumberedName(stem: $0) }
    self.stem = stem
    self.suffix = suffix
  }

  /// The path to try: the plain one for 1, `name (2).ext` for 2, and so on.
  public func candidate(_ number: Int) -> String {
    let name = NumberedName(stem: stem, suffix: suffix, number: number)
    return (directories + [name]).map(\.text).joined(separator: "/")
  }

  /// Gives a directory, by its place on the way, the next number: what has its name is none.
  public mutating func numberDirectory(_ level: Int) {
    guard directories.indices.contains(level) else { return }
    directories[level].number += 1
  }
}

/// A part of a path, with a number where its plain name is taken.
private struct NumberedName: Hashable, Sendable {
  var stem: String
  var suffix = ""
  /// 1 for the plain name.
  var number = 1

  var text: String {
    guard number > 1 else { return stem + suffix }
    let mark = " (\(number))"
    return shortened(stem, limit: longestName - mark.utf8.count - suffix.utf8.count) + mark + suffix
  }
}

/// The name of a downloaded file: the template of the configuration, filled in and cleaned.
///
/// A slash of the template, and of a time's format in it, makes a directory; one in a value never does. `{name}` and
/// `{ext}` come from `Content-Disposition`, else from the address, and an extension that nobody wrote from the media type.
/// With `types` a name ends in an extension of one of them, unless the template itself ends in another: what would end
/// otherwise, be it by its title, gets the extension of its type, or `.bin`.
///
/// - Parameters:
///   - transfer: the download.
///   - feed: its feed.
///   - label: what the feed is called.
///   - head: the answer.
///   - address: the address that answered.
///   - zone: the zone in which times are written.
/// - Returns: the name, with room for a number.
public func assetName(
  _ transfer: Transfer, feed: FeedSpec, label: FeedLabel, head: Response, address: WebAddress, in zone: Zone
) -> AssetName {
  let source = SourceName(transfer, feed: feed, head: head, address: address)
  let download = feed.transferDownload ?? DownloadSpec()
  let template = download.fileName(for: feed.kind)
  let path = template.filled { name, format in
    switch name {
    case "feed": partOfPath(feed.name.text)
    case "feed.title": partOfPath(label.title)
    case "title": partOfPath(title(of: transfer, source, label))
    // The format was written by the user, slashes and all.
    case "published": time(transfer.item?.date ?? transfer.queued, format, in: zone)
    case "id": partOfPath(transfer.item?.id ?? source.stem)
    case "name": partOfPath(source.stem)
    case "ext": source.suffix
    case "index": String(transfer.asset.index)
    default: ""
    }
  }
  var parts = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
  let last = parts.popLast() ?? ""
  let usesSuffix = !source.suffix.isEmpty && last.hasSuffix(source.suffix)
  let (stem, suffix) =
    usesSuffix ? (String(last.dropLast(source.suffix.count)), source.suffix) : divided(last)
  var name = cleanName(stem, suffix: cleanSuffix(suffix))
  if !endsAsType(name.stem + name.suffix, in: download.types), !template.endsInExtension {
    name = cleanName(name.stem + name.suffix, suffix: source.suffixOfType)
  }
  return AssetName(directories: directories(of: parts), stem: name.stem, suffix: name.suffix)
}

extension Template {
  /// Whether the extension of what it makes is written in it.
  fileprivate var endsInExtension: Bool {
    if case .literal(let end)? = parts.last { !divided(end).suffix.isEmpty } else { false }
  }
}

/// A value as a part of a path; what would divide it is replaced.
private func partOfPath(_ value: String) -> String {
  let isDivider = { (byte: UInt8) in byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }
  let text = cleanText(value, limit: 4096)
  guard text.utf8.contains(where: isDivider) else { return text }
  return String(decoding: text.utf8.map { isDivider($0) ? UInt8(ascii: "-") : $0 }, as: UTF8.self)
}

private func title(of transfer: Transfer, _ source: SourceName, _ label: FeedLabel) -> String {
  if transfer.isFeedBody { return label.title }
  guard let title = transfer.item?.title, !title.isEmpty else { return source.stem }
  // Some titles are the names of their files.
  let end = source.suffix.lowercased()
  let isFileName = !end.isEmpty && title.lowercased().hasSuffix(end) && title.count > end.count
  return isFileName ? String(title.dropLast(end.count)) : title
}

/// Directories one below the other, each part cleaned, short enough to leave room in a path of 4096 bytes (PATH_MAX).
private func directories(of parts: [String]) -> [String] {
  var names = parts.map { cleanName($0).stem }
  func length() -> Int { names.reduce(0) { $0 + $1.utf8.count + 1 } }
  if length() > longestDirectories { names = parts.map { cleanName($0, limit: 60).stem } }
  while length() > longestDirectories { names.removeLast() }
  return names
}

private let longestDirectories = 2000

/// What a file is called by its server.
struct SourceName {
  /// The name without its extension; not cleaned.
  let stem: String
  /// The extension with its dot, as the server has it; empty where nothing tells it.
  let suffix: String
  /// The extension of its media type, with its dot; `.bin` where that is not known.
  let suffixOfType: String

  /// The name by `Content-Disposition`, else by the address that the document has, else by the one that answered.
  ///
  /// An address that is a secret gives no name.
  init(_ transfer: Transfer, feed: FeedSpec, head: Response, address: WebAddress) {
    var isSecret = false
    if transfer.asset.url.isEmpty, case .secret = feed.url { isSecret = true }
    let asked = transfer.asset.url.isEmpty ? feed.address?.text : transfer.asset.url
    let addresses = isSecret ? [] : [asked, address.text].compactMap { $0 }.map(lastSegment)
    let withSuffix = addresses.first { Self.suffix(of: $0) != nil }
    let name =
      suggestedName(head["Content-Disposition"]) ?? withSuffix ?? addresses.first { !$0.isEmpty } ?? ""
    var types = [mediaType(head["Content-Type"]), mediaType(transfer.asset.type)].compactMap { $0 }
    // Text is what servers say of files that they know nothing of.
    if types.count == 2, types[0].hasPrefix("text/") { types.swapAt(0, 1) }
    let globs = feed.transferDownload?.types ?? []
    let suffixes =
      types.compactMap { fileExtension(ofType: $0) }.map { "." + $0 } + [withSuffix.flatMap(Self.suffix)]
    let known = suffixes.compactMap { $0 }.first { endsAsType($0, in: globs) }
    suffixOfType = known ?? ".bin"
    var parts = divided(name)
    if Self.suffix(of: name) == nil {
      if parts.suffix.isEmpty || Self.isScript(parts.suffix) {
        // The program of a server is no extension: `download.php` is called `download`.
        parts.suffix = known ?? ""
      } else if let known, known != ".txt" {
        // `Mr.Robot` as video/mp4 is `Mr.Robot.mp4`; but all that servers do not know is text: `hosts.conf` stays.
        parts = (name, known)
      }
    } else if !endsAsType(parts.suffix, in: globs) {
      parts.suffix = suffixOfType
    }
    stem = parts.stem.isEmpty ? transfer.isFeedBody ? feed.name.text : "untitled" : parts.stem
    suffix = cleanSuffix(parts.suffix)
  }

  /// The extension of a name, if it is one of a kind of file that is known.
  private static func suffix(of name: String) -> String? {
    let suffix = divided(name).suffix
    guard let end = suffix.lowercased().split(separator: ".").last else { return nil }
    return mediaType(ofExtension: String(end)) == nil ? nil : suffix
  }

  private static func isScript(_ suffix: String) -> Bool {
    scriptExtensions.contains(String(suffix.lowercased().dropFirst()))
  }
}
