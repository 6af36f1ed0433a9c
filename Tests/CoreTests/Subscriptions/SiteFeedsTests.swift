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

  @Test(arguments: [
    ("www.youtube.com/channel/UCabc-_1/videos", "www.youtube.com/feeds/videos.xml?channel_id=UCabc-_1", "-"),
    ("m.youtube.com/playlist?app=x&list=PL12", "www.youtube.com/feeds/videos.xml?playlist_id=PL12", "-"),
    ("www.reddit.com/r/linux/", "www.reddit.com/r/linux/.rss", "linux"),
    ("old.reddit.com/r/linux/top", "www.reddit.com/r/linux/top/.rss", "-"),
    ("reddit.com/u/someone", "www.reddit.com/user/someone/.rss", "someone"),
    ("github.com/owner/project", "github.com/owner/project/releases.atom", "project"),
    ("github.com/owner/project.git", "github.com/owner/project/releases.atom", "project"),
    ("github.com/owner/project/tags", "github.com/owner/project/tags.atom", "project-tags"),
    ("github.com/owner", "github.com/owner.atom", "owner"),
    ("gitlab.com/group/part/project", "gitlab.com/group/part/project/-/releases.atom", "project"),
    ("gitlab.gnome.org/GNOME/gtk/-/tags", "gitlab.gnome.org/GNOME/gtk/-/tags?format=atom", "gtk-tags"),
    (
      "podcasts.apple.com/us/podcast/in-our-time/id73330895?i=1", "itunes.apple.com/lookup?id=73330895",
      "podcast"
    ),
  ])
  func `the feed of a known site follows from its address`(page: String, feed: String, name: String) throws {
    #expect(try first("https://" + page) == ["https://" + feed, name])
  }

  @Test(arguments: [
    "https://lwn.net/", "https://www.youtube.com/@handle", "https://www.youtube.com/user/NASA",
    "https://github.com/owner/project/commits/main", "https://gitlab.com/a/b/-/commits/main",
    "https://www.youtube.com/watch?v=1",
    "https://www.reddit.com/", "https://github.com/",
    "https://github.com/owner/project/issues", "https://github.com/owner/project/releases.atom",
    "https://mastodon.example/@user",
    "https://www.youtube.com/feeds/videos.xml?channel_id=UC1",
    "https://www.tiktok.com/@user", "https://podcasts.apple.com/us/browse",
    "https://podcasts.apple.com/x/idx", "https://gitlab.com/explore", "https://someone.substack.com/",
    "https://blog.example/feed", "https://gitlab.com/a/b/-/tags?format=atom",
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
