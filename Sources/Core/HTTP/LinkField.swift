// The links in an answer's Link field (RFC 8288), and where they say a feed can be subscribed to.

/// Where changes of a feed can be subscribed to.
///
/// The field counts before the document, whole: a publisher who writes one there means it for all formats (W3C WebSub,
/// section 4).
///
/// - Parameters:
///   - response: the answer.
///   - address: where it came from; relative links begin there.
///   - document: what its body says.
/// - Returns: the hubs and the topic; none where neither names a hub.
public func hubLinks(of response: Response, from address: String?, _ document: ParsedFeed) -> HubLinks {
  var base = address.map { BaseAddress(URIReference($0)) }
  var links = HubLinks()
  for link in WebLink.links(inField: response.joined("Link") ?? "") {
    guard link.relations.contains("hub") || link.relations.contains("self") else { continue }
    let target = base?.resolve(URIReference(link.target)).text ?? link.target
    if link.relations.contains("hub") { links.add(hub: target) }
    if link.relations.contains("self") { links.take(topic: target) }
  }
  if links.hubs.isEmpty { links = document.hubLinks }
  // Without a hub a topic is nothing to anybody.
  return links.hubs.isEmpty ? HubLinks() : links
}

/// One link of the field.
struct WebLink: Hashable {
  /// The reference between the angle brackets.
  var target: String
  /// Its relations in lower case.
  var relations: Set<String> = []

  /// The links of all values of the field, joined with commas; what cannot be read is passed over.
  ///
  /// Links from elsewhere (`anchor`) are left out, and of several `rel` the first counts (RFC 8288 sections 3.2, 3.3).
  static func links(inField value: String) -> [WebLink] {
    var links: [WebLink] = []
    var rest = value[...]
    while let open = rest.firstIndex(of: "<") {
      rest = rest[open...].dropFirst()
      guard let close = rest.firstIndex(of: ">") else { break }
      var link = WebLink(target: String(rest[..<close]))
      rest = rest[close...].dropFirst()
      var parameters = part(of: &rest, before: ",")
      var relation: String?
      var isFromElsewhere = false
      while !parameters.isEmpty {
        let parameter = part(of: &parameters, before: ";")
        let name = parameter.prefix { $0 != "=" }
        let text = parameter.dropFirst(name.count + 1)
        switch name.filter({ !$0.isWhitespace }).lowercased() {
        case "rel": relation = relation ?? text.filter { $0 != "\"" }.lowercased()
        case "anchor": isFromElsewhere = true
        default: break
        }
      }
      guard !isFromElsewhere, let relation else { continue }
      link.relations = Set(relation.split(whereSeparator: \.isWhitespace).map(String.init))
      links.append(link)
    }
    return links
  }

  /// What stands before a separator outside quotes; the rest is what follows it.
  private static func part(of rest: inout Substring, before separator: Character) -> Substring {
    var isQuoted = false
    var isEscaped = false
    let end = rest.firstIndex { character in
      defer { isEscaped = isQuoted && !isEscaped && character == "\\" }
      if character == "\"", !isEscaped { isQuoted.toggle() }
      return character == separator && !isQuoted
    }
    defer { rest = end.map { rest[$0...].dropFirst() } ?? "" }
    return rest[..<(end ?? rest.endIndex)]
  }
}
