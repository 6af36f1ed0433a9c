// Feeds that follow from the address of a page alone.

import Core
import Testing

@Suite struct SiteFeedsTests {
  /// The first feed of a page and its name, or nil.
  private func first(_ page: String) throws -> [String]? {
    guard let site = SiteFeeds(of: try #require(WebAddress(page))) else { return nil }
    switch site {
    case .feeds(let addresses, let name): return [addresses.first?.text ?? "", name ?? "-"]
    case .podcast(let lookup): return [lookup.text, "podcast"]
    }
  }

  @Test(
    arguments: [
      (
        "https://www.youtube.com/channel/UCabc-_1/videos",
        "https://www.youtube.com/feeds/videos.xml?channel_id=UCabc-_1", "-"
      ),
      (
        "https://m.youtube.com/playlist?app=x&list=PL12",
        "https://www.youtube.com/feeds/videos.xml?playlist_id=PL12",
        "-"
      ),
      ("https://youtube.com/user/NASA", "https://www.youtube.com/feeds/videos.xml?user=NASA", "-"),
      ("https://www.reddit.com/r/linux/", "https://www.reddit.com/r/linux/.rss", "linux"),
      ("https://old.reddit.com/r/linux/top", "https://www.reddit.com/r/linux/top/.rss", "-"),
      ("https://reddit.com/u/someone", "https://www.reddit.com/user/someone/.rss", "someone"),
      ("https://mastodon.example/@user", "https://mastodon.example/@user.rss", "-"),
      ("https://github.com/owner/project", "https://github.com/owner/project/releases.atom", "project"),
      ("https://github.com/owner/project.git", "https://github.com/owner/project/releases.atom", "project"),
      ("https://github.com/owner/project/tags", "https://github.com/owner/project/tags.atom", "project-tags"),
      (
        "https://github.com/owner/project/commits/main/doc",
        "https://github.com/owner/project/commits/main/doc.atom", "project-commits"
      ),
      ("https://github.com/owner", "https://github.com/owner.atom", "owner"),
      (
        "https://gitlab.com/group/part/project", "https://gitlab.com/group/part/project/-/releases.atom",
        "project"
      ),
      (
        "https://gitlab.gnome.org/GNOME/gtk/-/tags", "https://gitlab.gnome.org/GNOME/gtk/-/tags?format=atom",
        "gtk-tags"
      ),
      (
        "https://gitlab.com/a/b/-/commits/main", "https://gitlab.com/a/b/-/commits/main?format=atom",
        "b-commits"
      ),
      ("https://codeberg.org/owner/project", "https://codeberg.org/owner/project/releases.rss", "project"),
      (
        "https://codeberg.org/owner/project/src/branch/main",
        "https://codeberg.org/owner/project/rss/branch/main", "project-commits"
      ),
      ("https://maker.itch.io/game", "https://maker.itch.io/game/devlog.rss", "game"),
      (
        "https://podcasts.apple.com/us/podcast/in-our-time/id73330895?i=1",
        "https://itunes.apple.com/lookup?id=73330895", "podcast"
      ),
      (
        "https://bsky.app/profile/someone.example", "https://bsky.app/profile/someone.example/rss", "-"
      ),
      ("https://someone.substack.com/", "https://someone.substack.com/feed", "-"),
      ("https://medium.com/@someone", "https://medium.com/feed/@someone", "-"),
      ("https://someone.wordpress.com", "https://someone.wordpress.com/feed/", "-"),
      ("https://someone.blogspot.com/", "https://someone.blogspot.com/feeds/posts/default", "-"),
      ("https://pypi.org/project/curl/", "https://pypi.org/rss/project/curl/releases.xml", "curl"),
    ])
  func `the feed of a known site follows from its address`(page: String, feed: String, name: String) throws {
    #expect(try first(page) == [feed, name])
  }

  @Test(
    arguments: [
      "https://lwn.net/", "https://www.youtube.com/@handle", "https://www.youtube.com/watch?v=1",
      "https://www.reddit.com/", "https://github.com/", "https://github.com/features/actions",
      "https://github.com/owner/project/issues", "https://github.com/owner/project/releases.atom",
      "https://mastodon.example/@user@other.example", "https://mastodon.example/@user/123",
      "https://www.youtube.com/feeds/videos.xml?channel_id=UC1", "https://mastodon.example/@user.rss",
      "https://www.tiktok.com/@user", "https://podcasts.apple.com/us/browse",
      "https://podcasts.apple.com/x/idx",
      "https://gitlab.com/explore", "https://someone.substack.com/p/post", "https://blog.example/feed",
      "https://gitlab.com/a/b/-/tags?format=atom",
    ])
  func `any other page has to be read`(page: String) throws {
    #expect(try first(page) == nil)
  }

  @Test func `a repository without releases has its tags`() throws {
    let page = try #require(WebAddress("https://github.com/owner/project"))

    guard case .feeds(let addresses, _) = SiteFeeds(of: page) else {
      Issue.record("it is not known")
      return
    }
    #expect(addresses.map(\.text).last == "https://github.com/owner/project/tags.atom")
  }
}
