// Parsers of header fields: dates, Content-Encoding, Content-Disposition, Content-Range, Link.

extension Response {
  /// The known content codings in the order of their use, in lower case (RFC 9110 section 8.4.1).
  ///
  /// Other names say nothing about the body: object stores keep `aws-chunked` from uploads, and servers send `none`, `UTF-8`
  /// or `8bit`.
  public var contentCodings: [String] {
    (joined("Content-Encoding")?.lowercased() ?? "").split { $0 == "," || $0 == " " || $0 == "\t" }
      .map { $0 == "x-gzip" ? "gzip" : String($0) }.filter(knownCodings.contains)
  }
}

private let knownCodings: Set = ["gzip", "deflate", "br", "zstd"]

extension Instant {
  /// Reads an HTTP date (RFC 9110 section 5.6.7) in any form that is a date with a time.
  public init?(httpDate text: String) {
    var text = text
    guard text.utf8.contains(":"),
      let moment = text.withUTF8(writtenDate)
    else { return nil }
    self = moment
  }
}

/// The file name in `Content-Disposition` (RFC 6266), without a path: `filename*` (RFC 8187), else `filename`.
func suggestedName(_ field: String?) -> String? {
  guard let field else { return nil }
  let parameters = fieldParameters(field)
  let candidates = [
    parameters["filename*"].flatMap(extendedValue), parameters["filename"].map(plainValue),
  ]
  return candidates.lazy.compactMap { $0 }.map(withoutPath).first { !$0.allSatisfy { $0 == "." } }
}

/// The parameters of a field by their lower-case names, with empty text for one without a value; the first of each name counts.
public func fieldParameters(
  _ field: some StringProtocol, separatedBy separator: UInt8 = ";"
) -> [String: String] {
  var parameters: [String: String] = [:]
  for part in partsOutsideQuotes(of: Substring(field), separatedBy: separator) {
    let name = part.utf8.prefix { $0 != "=" }
    let value = part.utf8[name.endIndex...].dropFirst()
    let key = trimmedOfBlanks(Substring(name)).lowercased()
    if parameters[key] == nil { parameters[key] = unquoted(trimmedOfBlanks(Substring(value))) }
  }
  return parameters
}

/// The text of a quoted string (RFC 9110 section 5.6.4); other text is unchanged.
///
/// A backslash escapes only quotes and backslashes, because old browsers sent whole Windows paths.
private func unquoted(_ value: String) -> String {
  guard value.hasPrefix("\"") else { return value }
  var text = String.UnicodeScalarView()
  var scalars = value.unicodeScalars.dropFirst()[...]
  while let scalar = scalars.popFirst(), scalar != "\"" {
    if scalar == "\\", let next = scalars.first, next == "\"" || next == "\\" {
      text.append(next)
      scalars.removeFirst()
    } else {
      text.append(scalar)
    }
  }
  return String(text)
}

private func extendedValue(_ value: String) -> String? {
  let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
  guard parts.count == 3 else { return nil }
  let bytes = percentDecodedBytes(parts[2].utf8)
  switch parts[0].lowercased() {
  case "utf-8": return String(validating: bytes, as: UTF8.self)
  case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  default: return nil
  }
}

/// The text of a `filename` as servers really write it: percent-encoded UTF-8, Latin-1 bytes, or correct.
private func plainValue(_ value: String) -> String {
  // Machine's OctetText represents bytes that are not UTF-8 by scalars of the private use area.
  let isOctet = { (scalar: Unicode.Scalar) in (0xEF80...0xEFFF).contains(scalar.value) }
  if value.unicodeScalars.contains(where: isOctet) {
    let scalars = value.unicodeScalars.map {
      isOctet($0) ? Unicode.Scalar(UInt8(truncatingIfNeeded: $0.value)) : $0
    }
    return String(String.UnicodeScalarView(scalars))
  }
  guard value.utf8.contains("%") else { return value }
  return String(validating: percentDecodedBytes(value.utf8), as: UTF8.self) ?? value
}

/// The last part of a Unix or Windows path (RFC 6266 section 4.3).
private func withoutPath(_ name: String) -> String {
  name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map { trimmedOfBlanks($0) } ?? ""
}

/// The `Content-Range` of a 206 response (RFC 9110 section 14.4).
struct ContentRange {
  let first: Int64
  let last: Int64
  /// The size of the whole file, if the server knows it.
  let total: Int64?

  /// Parses `bytes FIRST-LAST/TOTAL`.
  ///
  /// Nil for other units, no range, contradictory numbers, and numbers beyond an exbibyte, so that sums cannot
  /// overflow.
  init?(_ text: String) {
    let words = text.split(whereSeparator: { $0 == " " || $0 == "\t" })
    guard words.count >= 2, words[0].lowercased() == "bytes" else { return nil }
    let parts = words.dropFirst().joined().split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last
    else { return nil }
    total = Self.number(parts[1])
    guard total != nil || parts[1] == "*", total.map({ last < $0 }) ?? true else { return nil }
    (self.first, self.last) = (first, last)
  }

  private static func number(_ text: Substring) -> Int64? {
    wholeNumber(text).flatMap { $0 <= 1 << 60 ? $0 : nil }
  }
}

/// The hubs and the topic at which changes of a feed can be subscribed to.
///
/// A hub in the `Link` field replaces all links of the document (W3C WebSub section 4).
///
/// - Parameters:
///   - response: the response.
///   - address: its address, at which relative links are resolved.
///   - document: its parsed body.
/// - Returns: the links; empty without a hub.
public func hubLinks(of response: Response, from address: String?, _ document: ParsedFeed) -> HubLinks {
  let base = address.map { URIReference($0) }
  var links = HubLinks()
  for link in WebLink.links(inField: response.joined("Link") ?? "") {
    guard link.relations.contains("hub") || link.relations.contains("self") else { continue }
    let target = base.map { URIReference(link.target).resolved(against: $0).text } ?? link.target
    if link.relations.contains("hub") { links.add(hub: target) }
    if link.relations.contains("self") { links.accept(topic: target) }
  }
  if links.hubs.isEmpty { links = document.hubLinks }
  // A topic is useless without a hub.
  return links.hubs.isEmpty ? HubLinks() : links
}

/// One link of a `Link` field (RFC 8288).
public struct WebLink: Sendable {
  public var target: String
  /// The relations in lower case.
  public var relations: Set<String> = []
  /// The media type of its target, or empty.
  public var type = ""
  public var title = ""

  /// The links in all values of the field, joined with commas; unreadable ones are skipped.
  ///
  /// Links with another context (`anchor`) are ignored; the first `rel` counts (RFC 8288 sections 3.2 and 3.3).
  public static func links(inField value: String) -> [WebLink] {
    var links: [WebLink] = []
    var rest = value[...]
    while let open = rest.firstIndex(of: "<") {
      rest = rest[open...].dropFirst()
      guard let close = rest.firstIndex(of: ">") else { break }
      var link = WebLink(target: String(rest[..<close]))
      rest = rest[close...].dropFirst()
      let parameters = fieldParameters(parsePartOutsideQuotes(of: &rest, before: ","))
      guard parameters["anchor"] == nil, let relation = parameters["rel"] else { continue }
      link.relations = Set(relation.lowercased().split(whereSeparator: \.isWhitespace).map(String.init))
      link.type = parameters["type"] ?? ""
      link.title = parameters["title"] ?? ""
      links.append(link)
    }
    return links
  }
}

/// Takes the text before the first separator outside quoted strings (RFC 9110 section 5.6.4), and the separator.
func parsePartOutsideQuotes(of rest: inout Substring, before separator: UInt8) -> Substring {
  var isQuoted = false
  var isEscaped = false
  let end = rest.utf8.firstIndex { byte in
    defer { isEscaped = isQuoted && !isEscaped && byte == "\\" }
    if byte == "\"", !isEscaped { isQuoted.toggle() }
    return byte == separator && !isQuoted
  }
  defer { rest = end.map { rest[rest.utf8.index(after: $0)...] } ?? rest[rest.endIndex...] }
  return rest[..<(end ?? rest.endIndex)]
}

/// The parts of a field between separators outside quoted strings.
func partsOutsideQuotes(of field: Substring, separatedBy separator: UInt8) -> [Substring] {
  var rest = field
  var parts: [Substring] = []
  while !rest.isEmpty { parts.append(parsePartOutsideQuotes(of: &rest, before: separator)) }
  return parts
}
