// Queries of newsboat as commands.

import Testing

@testable import Core

@Suite struct NewsboatQueryTests {
  @Test(
    arguments: [
      (#"unread = "yes""#, "--unseen"), (#"(unread = "yes")"#, "--unseen"), (#"unread != "no""#, "--unseen"),
      (#"tags # "Tech News""#, "@tech-news"), (#"tags # "中文""#, "@中文"),
      (#"tags # "a" or tags # "b""#, "@a @b"),
      (#"(tags # "a" or tags # "b") and unread = "yes""#, "@a @b --unseen"),
      (#"unread="yes" and age < 7"#, "--unseen --since 7d"), (#"age between 0:7"#, "--since 8d"),
      (#"age between 2:7"#, "--since 8d --older-than 2d"), (#"age > 30"#, "--older-than 31d"),
      (#"flags != """#, "--starred"), ("unread = \"yes", "--unseen"),
    ])
  func `a query is said by options`(query: String, options: String) {
    #expect(QueryAnswer(to: query) == .command("bgfetch items " + options, difference: ""))
  }

  private static let search = "--search finds words, in title, author and text"
  private static let flags = "articles with any flag have a star"

  @Test(arguments: [
    (#"title # "rust" and unread = "yes""#, "--unseen --search 'rust'", search),
    (#"title =~ "rust async" and content =~ "tokio""#, "--search 'rust async tokio'", search),
    (#"author = "Ada""#, "--search 'Ada'", search), (#"flags # "s""#, "--starred", flags),
    (#"flags =~ "s" and title # "a""#, "--starred --search 'a'", flags + "; " + search),
  ])
  func `a query that options say nearly has the difference`(
    query: String, options: String, difference: String
  ) {
    #expect(QueryAnswer(to: query) == .command("bgfetch items " + options, difference: difference))
  }

  private static let either = "options are joined by \"and\"; write a command for each side of \"or\""

  /// Every attribute of newsboat's filter language that has no option, and the ways to join conditions.
  @Test(
    arguments: [
      (#"unread = "no""#, "there is no option for unread = no"),
      (#"tags # "a" and tags # "b""#, "there is no option for tags # b"),
      (#"tags !# "a""#, "there is no option for tags !# a"), (#"unread = "yes" or tags # "a""#, either),
      (#"(unread = "yes" or age < 3) and age > 1"#, either), (#"age = 3"#, "there is no option for age = 3"),
      (#"age < 0"#, "there is no option for age < 0"),
      (#"flags !# "s""#, "there is no option for flags !# s"),
      (#"title =~ "a|b""#, "there is no option for title =~ a|b"),
      (#"title # "'; rm""#, "there is no option for title # '; rm"),
      (#"title !~ "a""#, "there is no option for title !~ a"),
      (#"link =~ "a""#, "there is no option for link =~ a"),
      (#"guid = "a""#, "there is no option for guid = a"),
      (#"date =~ "Mon""#, "there is no option for date =~ Mon"),
      (#"enclosure_url =~ "mp3""#, "there is no option for enclosure_url =~ mp3"),
      (#"enclosure_type =~ "audio""#, "there is no option for enclosure_type =~ audio"),
      (#"articleindex < 5"#, "there is no option for articleindex < 5"),
      (#"enqueued = "yes""#, "there is no option for enqueued = yes"),
      (#"rssurl =~ "x""#, "there is no option for rssurl =~ x"),
      (#"feedtitle = "x""#, "there is no option for feedtitle = x"),
      (#"feedlink = "x""#, "there is no option for feedlink = x"),
      (#"feedindex = 1"#, "there is no option for feedindex = 1"),
      (#"description =~ "x""#, "there is no option for description =~ x"),
      (#"unread_count > 0"#, "there is no option for unread_count > 0"),
      (#"total_count > 0"#, "there is no option for total_count > 0"),
      (#"feeddate =~ "x""#, "there is no option for feeddate =~ x"),
      ("", "it cannot be read"), ("(", "it cannot be read"), ("unread", "it cannot be read"),
      ("unread =", "it cannot be read"), (#"unread = "yes" and"#, "it cannot be read"),
      (#"unread = "yes" unread = "yes""#, "it cannot be read"),
    ])
  func `a query that no options say has the reason`(query: String, reason: String) {
    #expect(QueryAnswer(to: query) == .impossible(reason: reason))
  }

  @Test func `many brackets take little`() {
    #expect(
      QueryAnswer(to: String(repeating: "(", count: 1_000_000)) == .impossible(reason: "it cannot be read"))
  }
}
