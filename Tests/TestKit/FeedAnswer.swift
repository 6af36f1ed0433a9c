// The feeds that a ScriptedServer serves, as small RSS documents.

/// A small RSS document.
public func rss(_ items: [(id: String, title: String)], title: String = "Planet") -> String {
  let entries = items.map { item in
    "<item><guid isPermaLink=\"false\">\(item.id)</guid><title>\(item.title)</title>"
      + "<link>https://planet.example/\(item.id)</link></item>"
  }
  return "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>\(title)</title>"
    + "<link>https://planet.example/</link>" + entries.joined() + "</channel></rss>"
}

/// A feed with items of these ids and an `ETag` made of them.
public func feedAnswer(_ ids: String...) -> ScriptedAnswer {
  .document(rss(ids.map { ($0, "Title of \($0)") }), etag: "\"\(ids.joined(separator: "-"))\"")
}

extension ScriptedServer {
  /// Serves a feed with one item, which is held back until the gate opens.
  public func gatedFeed(_ path: String) -> Gate {
    let gate = Gate()
    on(path, ScriptedAnswer.document(rss([("a", "A")])).held(by: gate))
    return gate
  }

  /// A server with a feed at `/planet` with items of these ids.
  public convenience init(planet ids: [String]) throws { try self.init(feeds: ["/planet": ids]) }

  /// A server with feeds, by their paths and the ids of their items.
  public convenience init(feeds: KeyValuePairs<String, [String]>) throws {
    try self.init()
    for (path, ids) in feeds { feed(path, ids) }
  }

  /// Serves a feed with items of these ids and an `ETag` made of them.
  public func feed(_ path: String, _ ids: [String], title: String = "Planet") {
    let body = rss(ids.map { ($0, "Title of \($0)") }, title: title)
    on(path, .document(body, etag: "\"\(ids.joined(separator: "-"))\"", lastModified: nil))
  }
}
