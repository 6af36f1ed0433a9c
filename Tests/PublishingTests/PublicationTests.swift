// The values that are published.

import Core
import Publishing
import Testing

@Suite struct PublicationTests {
  @Test func `a publication keeps the order of its items`() {
    let publication = Publication(title: "News", updated: Instant(secondsSince1970: 0), items: [])

    #expect(publication.items.isEmpty)
  }
}
