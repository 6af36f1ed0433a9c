// Random histories of feeds, compared with what a person would call new: nothing twice, nothing lost.

import Core
import Testing

@Suite struct DocumentHistoryTests: NewsFixtures {
  /// The change of a feed's identities between two documents.
  enum Habit: CaseIterable {
    /// They stay.
    case stable
    /// Schemes, tracking parameters and slashes come and go.
    case restless
    /// Guids are new in every document.
    case renewing
    /// There are links, and no guids.
    case withoutGuids
    /// All items share a guid.
    case sharing
    /// Guids and links are new in every document.
    case unstable
  }

  /// A post as its author sees it.
  private struct Post {
    var number: Int
    var title: String
    var text: String
    var day: Int?
  }

  private func written(
    _ post: Post, _ habit: Habit, document: Int, _ random: inout SeededNumbers
  ) -> ParsedItem {
    let guid: String? =
      switch habit {
      case .stable, .restless: "https://x.example/?p=\(post.number)"
      case .renewing, .unstable: "\(document)-\(post.number)"
      case .withoutGuids: nil
      case .sharing: "https://x.example/"
      }
    var item = item(
      guid, link: "https://x.example/posts/\(post.number)" + (habit == .unstable ? "?token=\(document)" : ""),
      title: post.title, content: post.text, day: post.day)
    if habit == .restless {
      let isPlain = Bool.random(using: &random)
      item.id = guid.map { isPlain ? $0.replacing("https:", with: "http:") : $0 }
      let tail = ["", "/", "?utm_source=rss", "/?utm_campaign=\(document)#", "#"].randomElement(
        using: &random)
      item.link = "\(isPlain ? "http" : "https")://x.example/posts/\(post.number)" + (tail ?? "")
    }
    return item
  }

  @Test(arguments: Habit.allCases, [true, false])
  func `every post is announced once, whatever else happens`(habit: Habit, isDated: Bool) {
    for seed in 1...10 as ClosedRange<UInt64> {
      var random = SeededNumbers(state: seed)
      var memory = FeedMemory(feed: feed { $0.firstRun = .all })
      var posts: [Post] = []
      var shown: Set<Int> = []
      var told: [String] = []
      for document in 0..<12 {
        // Each document has the newest posts, some of the former ones at random, in any order, some edited.
        for _ in 0..<Int.random(in: document == 0 ? 12...15 : 0...3, using: &random) {
          posts.append(
            Post(
              number: posts.count, title: "Post \(posts.count)", text: "Text",
              day: isDated ? posts.count : nil))
        }
        for place in posts.indices where Int.random(in: 0..<20, using: &random) == 0 {
          // Without guid, link and date only the whole text tells which item it is.
          if habit == .unstable, !isDated { continue }
          posts[place].text += "!"
          // If guids are renewed, only the title tells an edit from a new item at an old address.
          if habit != .renewing && habit != .unstable { posts[place].title += "?" }
        }
        var visible = Array(posts.suffix(Int.random(in: 12...15, using: &random)))
        visible += posts.filter { _ in Int.random(in: 0..<8, using: &random) == 0 }
        let items = visible.shuffled(using: &random).map { written($0, habit, document: document, &random) }
        shown.formUnion(visible.map { $0.number })
        let found = memory.take(items, after: .hours(1))
        told += found.announcedItems.map { place -> String in
          let link = found.newItems[place].link ?? ""
          let parts = link.split { "/?#".contains($0) }
          return parts.count > 3 ? String(parts[3]) : ""
        }
        #expect(Set(told).count == told.count, "twice: \(habit), seed \(seed), document \(document)")
        #expect(
          Set(told) == Set(shown.map(String.init)), "lost: \(habit), seed \(seed), document \(document)")
      }
    }
  }
}
