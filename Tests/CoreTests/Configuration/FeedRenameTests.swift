// Which stored feed a feed of the configuration is, by its name, its keys and its request.

import Core
import Testing

@Suite struct FeedRenameTests {
  /// A feed as `name=configuration/request`, of which `?` is unknown.
  private func traits(_ text: String) throws -> [FeedTraits] {
    try text.split(separator: " ").map { word in
      let parts = word.split(whereSeparator: { "=/".contains($0) }).map(String.init)
      return FeedTraits(
        name: try #require(FeedName(parts[0])), configuration: UInt64(parts[1]), request: UInt64(parts[2]))
    }
  }

  @Test(arguments: [
    ("nothing has changed", "a=1/1 b=2/2", "a=1/1 b=2/2", ""),
    ("a new feed", "a=1/1", "a=1/1 b=2/2", ""),
    ("a feed that left", "a=1/1 b=2/2", "a=1/1", ""),
    ("a new name", "a=1/1 b=2/2", "c=1/1 b=2/2", "a>c"),
    ("a new name and another interval", "a=1/1", "c=3/1", "a>c"),
    ("a new name of a feed with a secret", "a=1/9", "c=1/?", "a>c"),
    ("another address", "a=1/1", "a=2/2", ""),
    ("another interval", "a=1/1", "a=2/1", ""),
    ("another interval of a feed with a secret", "a=1/9", "a=2/?", ""),
    ("both changed", "a=1/1", "c=2/2", ""),
    ("two names swapped", "a=1/1 b=2/2", "a=2/2 b=1/1", "b>a a>b"),
    ("two names of feeds with secrets swapped", "a=1/9 b=2/8", "a=2/? b=1/?", "b>a a>b"),
    ("three names in turn", "a=1/1 b=2/2 c=3/3", "a=3/3 b=1/1 c=2/2", "c>a a>b b>c"),
    ("a new name, and the former one is another feed's", "a=1/1", "a=2/2 b=1/1", "a>b"),
    ("each feed has the next one's name", "a=1/1 b=2/2", "b=1/1 c=2/2", "a>b b>c"),
    ("the new name is a feed's that left", "a=1/1 b=2/2", "b=1/1", "b>a a>b"),
    ("the new name has a row without a fetch", "a=1/1 b=?/?", "b=1/1", "b>a a>b"),
    ("addresses moved on, which is no rename", "a=1/1 b=2/2", "a=2/2 b=3/3", ""),
    ("renamed back", "c=1/1", "a=1/1", "c>a"),
    ("one of two feeds of an address", "a=1/1 b=1/1", "a=1/1 c=1/1", "b>c"),
    ("two feeds of an address, told apart by their keys", "a=1/1 b=2/1", "c=2/1 d=1/1", "b>c a>d"),
    ("two feeds of an address, alike", "a=1/1 b=1/1", "c=1/1 d=1/1", ""),
    ("one of two feeds became two", "a=1/1", "c=1/1 d=1/1", ""),
    ("two that left have the address", "a=1/1 b=1/1", "c=1/1", ""),
    ("no fingerprints are stored", "a=?/?", "c=1/1", ""),
  ])
  func `a stored feed gets the name of the feed that it is`(
    name: String, stored: String, configured: String, renames: String
  ) throws {
    let found = feedRenames(of: try traits(stored), in: try traits(configured))

    #expect(found.map { "\($0.former)>\($0.name)" }.joined(separator: " ") == renames, "\(name)")
  }
}
