// Where the publishers of feeds let them be subscribed to, as the last document said.

import Core

extension Store {
  /// The hubs of a feed, with their topic; none for one that was never asked.
  func hubLinks(of feed: Int64) throws(StoreFailure) -> HubLinks {
    var links = HubLinks()
    try database.each("SELECT address, topic FROM hub WHERE feed = ?1 ORDER BY place", feed) {
      row throws(StoreFailure) in
      links.hubs.append(try row.next())
      links.topic = try row.next()
    }
    return links
  }

  /// Writes the hubs of a feed in place of those that are there; nil leaves them.
  func write(_ links: HubLinks?, of feed: Int64) throws(StoreFailure) {
    // Publishers hardly ever change them.
    guard let links, try hubLinks(of: feed) != links else { return }
    try database.run("DELETE FROM hub WHERE feed = ?1", feed)
    for (place, hub) in links.hubs.enumerated() {
      try database.run(
        "INSERT INTO hub (feed, place, address, topic) VALUES (?1, ?2, ?3, ?4)", feed, place, hub, links.topic
      )
    }
  }
}
