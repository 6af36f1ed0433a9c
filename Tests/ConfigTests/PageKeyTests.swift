// The keys of pages, of conditions and templates in JSON, and of bodies.

import Config
import Core
import Testing

@Suite struct PageKeyTests {
  @Test func `a page has items and their parts, or text`() throws {
    let items = try #require(feed("kind: html, html: {items: \"li > a\", title: \"@title\"}").kind.page)

    #expect(items.items?.text == "li > a")
    #expect(items.parts.mapValues(\.text) == [.title: "@title"])
    #expect(try feed("kind: html").kind.page == HTMLMapping())
    #expect(try feed("kind: html, html: {text: main}").kind.page?.text?.text == "main")
    #expect(try feed("kind: html").kind.isPageText)
    #expect(try !feed("kind: html, html: {items: li}").kind.isPageText)
  }

  @Test func `a list may be allowed to be empty`() throws {
    #expect(try feed("kind: html, html: {items: li, allow-empty: true}").kind.page?.allowsEmpty == true)
    #expect(try feed("kind: html, html: {items: li}").kind.page?.allowsEmpty == false)
    #expect(
      try feed("kind: json, json: {items: /l, id: /id, allow-empty: true}").kind.mapping?.allowsEmpty == true)
  }

  @Test func `content may be a mapping, with the selector of the item's page`() throws {
    let article = try feed("content: {page: \"article .body\", size: 1MiB}")
    let inherited = try feeds(
      """
      defaults: {content: {page: article}}
      feeds:
        a: {url: "https://a.example/", content: {size: 1KiB}}
        b: {url: "https://b.example/", content: 1KiB}
        c: {url: "https://c.example/", kind: html}
        d: {url: "https://d.example/", content: {page: none}}
        e: {url: "https://e.example/", content: none}
      """)

    #expect(article.articlePage?.text?.text == "article .body")
    #expect(article.articlePage?.isArticle == true)
    #expect(article.contentLimit == ByteCount(1 << 20))
    #expect(inherited.map { $0.articlePage != nil } == [true, false, false, false, false])
    #expect(
      inherited.map(\.contentLimit) == [
        ByteCount(1024), ByteCount(1024), DetailBounds.mostContent, DetailBounds.content, nil,
      ])
  }

  @Test func `an article may be found without a selector`() throws {
    let feed = try feed("content: {page: auto}")

    #expect(feed.articlePage == HTMLMapping(isArticle: true))
    #expect(feed.contentLimit == DetailBounds.content)
  }

  @Test func `a watched page has elements and lines to ignore`() throws {
    let page = try #require(
      feed("kind: html, html: {ignore: \".ads, time\", ignore-lines: ['^x']}").kind.page)

    #expect(page.ignored?.text == ".ads, time")
    #expect(page.ignoredLines == ["^x"])
    #expect(
      problems("feeds: {a: {url: https://a.example/, kind: html, html: {items: li, ignore-lines: [a]}}}") == [
        "bgfetch.yaml:1:50: html has both items and keys of a text to watch; write items for a list of news, or text to watch "
          + "the text of the page"
      ])
    #expect(problems("feeds: {a: {url: https://a.example/, kind: html, content: {page: a}}}").count == 1)
  }

  @Test func `a watched page may have changes that count, and messages with its lines`() throws {
    let page = try feed("kind: html, html: {only: added}, filter: {include: [{text: sold out}]}")
    let own = try feed("kind: html, notify: {item: \"{item.title}\"}")
    let news = try feed("kind: html, html: {items: li}")

    #expect(page.kind.page?.onlyChanges == .added)
    #expect(page.filter.include.count == 1)
    #expect(page.notify?.templates(for: .feed).item.placeholders == ["item.summary"])
    #expect(own.notify?.templates(for: .feed).item.placeholders == ["item.title"])
    #expect(news.notify?.templates(for: .feed).item.placeholders == ["item.title"])
    #expect(problems("feeds: {a: {url: https://a.example/, kind: html, html: {only: new}}}").count == 1)
    #expect(
      problems("feeds: {a: {url: https://a.example/, kind: html, html: {items: li, only: added}}}").count == 1
    )
  }

  @Test func `a watched page is stored whole, whatever content says`() throws {
    #expect(try feed("kind: html, content: 10B").contentLimit == DetailBounds.mostContent)
    #expect(try feed("kind: html, html: {items: li}, content: 10B").contentLimit == ByteCount(10))
  }

  @Test func `selectors merge with those of defaults, and none unsets them`() throws {
    let all = try feeds(
      """
      defaults: {html: {items: .post, title: h2, summary: p}, filter: {include: [x]}, content: none}
      feeds:
        a: {url: "https://a.example/", kind: html, html: {title: h3, summary: none}}
        b: {url: "https://b.example/", kind: html, html: none}
        c: https://c.example/
      """)

    #expect(all[0].kind.page?.items?.text == ".post")
    #expect(all[0].kind.page?.parts.mapValues(\.text) == [.title: "h3"])
    #expect(all[1].kind.page == HTMLMapping())
    #expect(all[2].kind == .feed)
    // A watched page needs its stored text, whatever the defaults say.
    #expect(all[1].filter.include.count == 1)
    #expect(all[1].contentLimit == DetailBounds.mostContent)
    #expect(all[0].contentLimit == nil)
  }

  @Test func `conditions and templates of JSON are read`() throws {
    let mapping = try #require(
      feed(
        "kind: json, json: {items: \"\", id: /id, link: \"https://a.example/{n}\", title: [\"{a} {b}\", /a], "
          + "only: {draft: false, /a/b: [1, \"x y\", null], state: open}}"
      ).kind.mapping)

    #expect(mapping.parts[.link]?.map(\.text) == ["https://a.example/{n}"])
    #expect(mapping.parts[.title]?.map { $0.pointers.count } == [2, 1])
    #expect(mapping.only.map(\.pointer.text) == ["/draft", "/a/b", "/state"])
    #expect(mapping.only.map(\.values) == [["false"], ["1", "x y", "null"], ["open"]])
  }

  @Test(arguments: [
    ("a=b&c=d", "a=b&c=d", "application/x-www-form-urlencoded"),
    ("'{\"a\": 1}'", "{\"a\": 1}", "application/json"),
    (
      "{a: 1, b: 1.50, c: [true, null, ~, yes], d: \"2\", e: {f: -1e3}}",
      "{\"a\":1,\"b\":1.50,\"c\":[true,null,null,\"yes\"],\"d\":\"2\",\"e\":{\"f\":-1e3}}", "application/json"
    ),
    ("[01, 0x10, .5, 1., \"q\\\"\"]", "[\"01\",\"0x10\",\".5\",\"1.\",\"q\\\"\"]", "application/json"),
    ("{}", "{}", "application/json"),
  ])
  func `a body is text, or YAML as JSON`(written: String, text: String, type: String) throws {
    let body = try #require(feed("body: \(written)").body)

    #expect(body.withoutSecrets?.text == text)
    #expect(body.mediaType == type)
  }

  @Test func `secrets may be anywhere in a body`() throws {
    let whole = try #require(feed("body: {env: BODY}").body)
    let nested = try #require(feed("body: {q: x, keys: [{env: KEY}]}").body)

    #expect(whole.pieces == [.secret(.environment("BODY"))])
    #expect(
      nested.pieces == [.text("{\"q\":\"x\",\"keys\":["), .quotedSecret(.environment("KEY")), .text("]}")])
    #expect(nested.mediaType == "application/json")
  }

  @Test func `two feeds may read other parts of one address`() throws {
    let same = reading(
      """
      feeds:
        a: {url: "https://a.example/", body: x}
        b: {url: "https://a.example/", body: y}
        c: {url: "https://a.example/", kind: html}
        d: {url: "https://a.example/", body: x}
      """)

    #expect(same.problems.map(\.text).count == 1)
    #expect(same.problems.first?.text.contains("feed \"d\" has the same url as feed \"a\"") == true)
  }
}
