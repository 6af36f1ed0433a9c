// The names of downloaded files: made of a template, and cleaned for every common file system. Whether a name is free is
// Machine's business.

/// A path below the documents directory, safe on any file system, with numbered variants if it is taken.
public struct AssetName: Sendable {
  /// The directories, one below the other.
  let directories: [String]
  /// The name without its extension.
  let stem: String
  /// The extension with its dot, or an empty text.
  let suffix: String

  /// The path to try: the plain path for 1, `name (2).ext` for 2, and so on.
  public func candidate(_ number: Int) -> String {
    let mark = number > 1 ? " (\(number))" : ""
    let name = shortened(stem, limit: longestName - mark.utf8.count - suffix.utf8.count)
    return (directories + [name + mark + suffix]).joined(separator: "/")
  }
}

/// The name of a downloaded file: the configured template, filled in and cleaned.
///
/// A slash in the template, or in the format of a time, makes a directory; a slash in a value never does. `{name}` and
/// `{ext}` come from `Content-Disposition`, else from the address; a missing extension comes from the media type. With
/// `types` the name ends in an extension of one of them, or in `.bin`, unless the template itself ends in another one.
///
/// - Parameters:
///   - transfer: the download.
///   - details: the details of its item, for `{season}`, `{episode}` and `{duration}`.
///   - feed: its feed.
///   - label: the feed's title.
///   - head: the last response.
///   - address: the address that sent the response.
///   - zone: the zone in which times are written.
/// - Returns: the name, with its numbered variants.
public func assetName(
  _ transfer: Transfer, details: ItemDetails? = nil, feed: FeedSpec, label: FeedLabel, head: Response,
  address: WebAddress, in zone: Zone
) -> AssetName {
  let source = SourceName(transfer, feed: feed, head: head, address: address)
  let download = feed.transferDownload ?? DownloadSpec()
  let template = download.fileName(for: feed.kind)
  let path = template.filled { name, format in
    switch name {
    case "feed": partOfPath(feed.name.text)
    case "feed.title": partOfPath(label.title)
    case "title": partOfPath(title(of: transfer, source, label))
    // The user wrote the format with its slashes.
    case "published": time(transfer.item?.date ?? transfer.queued, format, in: zone)
    case "id": partOfPath(transfer.item?.id ?? source.stem)
    case "name": partOfPath(source.stem)
    case "ext": source.suffix
    case "index": String(transfer.asset.index)
    // Two digits, so that names sort.
    case "season": details?.season?.padded(to: 2) ?? ""
    case "episode": details?.episode?.padded(to: 2) ?? ""
    case "duration": details?.duration?.text ?? ""
    default: ""
    }
  }
  var parts = path.utf8.split(separator: "/").map { String(Substring($0)) }
  let last = parts.popLast() ?? ""
  let usesSuffix = !source.suffix.isEmpty && last.hasSuffix(source.suffix)
  let written = usesSuffix ? (String(last.dropLast(source.suffix.count)), source.suffix) : divided(last)
  var suffix = cleanSuffix(written.1)
  var stem = cleanName(written.0, suffix: suffix)
  if !endsAsType(stem + suffix, in: download.types), !template.endsInExtension {
    stem = cleanName(stem + suffix, suffix: source.suffixOfType)
    suffix = source.suffixOfType
  }
  return AssetName(directories: directories(of: parts), stem: stem, suffix: suffix)
}

extension DownloadSpec {
  /// Whether the names of files need the details of items.
  public var namesUseDetails: Bool {
    name?.placeholders.contains { ["season", "episode", "duration"].contains($0) } ?? false
  }
}

extension Template {
  /// Whether the template itself ends in an extension.
  fileprivate var endsInExtension: Bool {
    if case .literal(let end)? = parts.last { !divided(end).suffix.isEmpty } else { false }
  }
}

/// A value as one part of a path, without slashes.
private func partOfPath(_ value: String) -> String {
  let isDivider = { (byte: UInt8) in byte == "/" || byte == "\\" }
  let text = cleanText(value, limit: 4096)
  guard text.utf8.contains(where: isDivider) else { return text }
  return String(decoding: text.utf8.map { isDivider($0) ? "-" : $0 }, as: UTF8.self)
}

private func title(of transfer: Transfer, _ source: SourceName, _ label: FeedLabel) -> String {
  if transfer.isFeedBody { return label.title }
  guard let title = transfer.item?.title, !title.isEmpty else { return source.stem }
  // Some titles are file names.
  let end = source.suffix.lowercased()
  let isFileName = !end.isEmpty && title.lowercased().hasSuffix(end) && title.count > end.count
  return isFileName ? String(title.dropLast(end.count)) : title
}

/// Cleaned directories, short enough for a path of 4096 bytes (PATH_MAX).
private func directories(of parts: [String]) -> [String] {
  var names = parts.map { cleanName($0) }
  while names.joined(separator: "/").utf8.count > longestDirectories { names.removeLast() }
  return names
}

private let longestDirectories = 2000

/// The name that the server gives a file.
struct SourceName {
  /// The name without its extension; not cleaned.
  let stem: String
  /// The extension with its dot, or an empty text.
  let suffix: String
  /// The extension of the media type, with its dot; `.bin` if that is unknown.
  let suffixOfType: String

  /// The name from `Content-Disposition`, else from the address in the document, else from the address of the response.
  ///
  /// A secret address gives no name.
  init(_ transfer: Transfer, feed: FeedSpec, head: Response, address: WebAddress) {
    let isSecret = transfer.isFeedBody && feed.hasSecretAddress
    let asked = transfer.isFeedBody ? feed.address?.text : transfer.asset.url
    let addresses = isSecret ? [] : [asked, address.text].compactMap { $0 }.map(lastSegment)
    let withSuffix = addresses.first { Self.suffix(of: $0) != nil }
    let name =
      suggestedName(head["Content-Disposition"]) ?? withSuffix ?? addresses.first { !$0.isEmpty } ?? ""
    var types = [mediaType(head["Content-Type"]), mediaType(transfer.asset.type)].compactMap { $0 }
    // Servers send text types for unknown files.
    if types.count == 2, types[0].hasPrefix("text/") { types.swapAt(0, 1) }
    let globs = feed.transferDownload?.types ?? []
    let suffixes =
      types.compactMap { fileExtension(ofType: $0) }.map { "." + $0 } + [withSuffix.flatMap(Self.suffix)]
    let known = suffixes.compactMap { $0 }.first { endsAsType($0, in: globs) }
    suffixOfType = known ?? ".bin"
    var parts = divided(name)
    if Self.suffix(of: name) == nil {
      if parts.suffix.isEmpty || scriptExtensions.contains(String(parts.suffix.lowercased().dropFirst())) {
        // `download.php` is named `download`.
        parts.suffix = known ?? ""
      } else if let known, known != ".txt" {
        // `Mr.Robot` with video/mp4 is `Mr.Robot.mp4`; but unknown files are sent as text, so `hosts.conf` stays.
        parts = (name, known)
      }
    } else if !endsAsType(parts.suffix, in: globs) {
      parts.suffix = suffixOfType
    }
    stem = parts.stem.isEmpty ? transfer.isFeedBody ? feed.name.text : "untitled" : parts.stem
    suffix = cleanSuffix(parts.suffix)
  }

  /// The extension of a name, if it is a known one.
  private static func suffix(of name: String) -> String? {
    let suffix = divided(name).suffix
    guard let end = suffix.lowercased().split(separator: ".").last else { return nil }
    return mediaType(ofExtension: String(end)) == nil ? nil : suffix
  }
}

/// A part of a path that is valid on every common file system: at most 255 bytes of UTF-8 in form NFC.
///
/// It has no control or format characters, none that FAT, NTFS and SMB refuse (`<>:"|?*\` and `/`), no dots, dashes or
/// blanks at the beginning, and no dots or blanks at the end. It is never empty.
///
/// - Parameters:
///   - stem: the name.
///   - suffix: the extension with its dot, already clean; it is never cut.
/// - Returns: the cleaned stem.
func cleanName(_ stem: String, suffix: String = "") -> String {
  var name = replacingForbidden(composed(cleanText(stem, limit: 8192)))
  // Characters beside a removed one may combine now.
  name = trimmedName(composed(name))
  name = shortened(name, limit: longestName - suffix.utf8.count)
  return name.isEmpty ? "untitled" : name
}

/// The maximum length of a name in bytes: NAME_MAX of Linux (limits.h(0p)); 255 UTF-16 units on FAT and NTFS are never less.
let longestName = 255

/// A name cut between two graphemes, without the dots and blanks that the cut may leave at the end.
func shortened(_ name: String, limit: Int) -> String {
  name.utf8.count <= limit ? name : trimmedName(graphemePrefix(of: name, limit: max(0, limit)))
}

/// A suffix of letters, digits and dots; any other becomes an empty text.
func cleanSuffix(_ suffix: String) -> String {
  let isHarmless = suffix.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == "." }
  return isHarmless && suffix.utf8.count <= 20 && suffix != "." ? suffix : ""
}

/// A text without characters that names must not have, and without invisible ones.
private func replacingForbidden(_ text: String) -> String {
  var name = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    switch scalar {
    case "/", "\\", "|", ":": name.append("-")
    case "\"": name.append("'")
    case "<", ">", "*": name.append("_")
    case "?": break
    // Two blanks are left if a character between them goes.
    case " " where name.last == " ": break
    case _ where isInvisible(scalar): break
    default: name.append(scalar)
    }
  }
  return String(name)
}

/// Whether a scalar is invisible although `cleanText` keeps it: format characters except the joiners, which scripts and emoji
/// need, and noncharacters.
private func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
  // The common case; the lookup of a category is slow.
  if (0x20..<0x7F).contains(scalar.value) { return false }
  let isFormat = scalar.properties.generalCategory == .format
  return isFormat && !isJoiner(scalar) || scalar.properties.isNoncharacterCodePoint
}

private func isJoiner(_ scalar: Unicode.Scalar) -> Bool { scalar.value == 0x200C || scalar.value == 0x200D }

/// A name without dots, dashes, tildes and blanks at its beginning, and without dots and blanks at its end; joiners count as
/// blanks, and so do variation selectors at the beginning.
private func trimmedName(_ name: String) -> String {
  var scalars = name.unicodeScalars[...]
  while let first = scalars.first,
    first == "." || first == "-" || first == "~" || first == " " || isJoiner(first)
      || first.properties.isVariationSelector
  {
    scalars.removeFirst()
  }
  while let last = scalars.last, last == "." || last == " " || isJoiner(last) { scalars.removeLast() }
  return String(Substring(scalars))
}

extension DownloadSpec {
  /// The default template: `{feed}/{published:%Y-%m-%d} {title}{ext}` for assets of items, `{feed}/{name}{ext}` for the body
  /// of a feed of kind `asset`, which has no title.
  static func defaultName(for kind: FeedKind) -> Template {
    if case .asset = kind { bodyName } else { assetName }
  }

  /// The template for a feed's downloads, configured or the default.
  func fileName(for kind: FeedKind) -> Template { name ?? Self.defaultName(for: kind) }

  private static let assetName = Template(builtIn: "{feed}/{published:%Y-%m-%d} {title}{ext}")
  private static let bodyName = Template(builtIn: "{feed}/{name}{ext}")
}
