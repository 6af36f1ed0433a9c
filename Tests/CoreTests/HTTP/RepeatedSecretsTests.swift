// Secrets that a server repeats are masked.

import Testing

@testable import Core

@Suite struct RepeatedSecretsTests {
  private func access(
    _ address: String = "https://a.example/feed", isSecret: Bool = false, headers: [(String, String)] = [],
    secretFields: Set<String> = [], credentials: FeedAccess.Credentials? = nil
  ) throws -> FeedAccess {
    var access = FeedAccess(
      address: try #require(WebAddress(address)), headers: headers.map { HeaderField($0.0, $0.1) },
      credentials: credentials)
    access.secretFields = secretFields
    access.isAddressSecret = isSecret
    return access
  }

  @Test func `what may be secret is masked, also as it is sent, and nothing else`() throws {
    let named = [
      ("Accept-Language", "german"), ("X-Api-Key", "k1234567"), ("Cookie", "theme=dark; session=0f9a8b7c"),
      ("X-Whatever", "whatever"), ("Authorization", "Token abcdefgh"), ("Keywords", "linux-news"),
    ]
    let cases: [(FeedAccess, String, String)] = [
      // RFC 7617 section 2 has the form.
      (
        try access(credentials: .basic(username: "me", password: "hunter2")),
        "Basic bWU6aHVudGVyMg== me:hunter2", "Basic ***== me:***"
      ),
      // A challenge may ask for HTTP Basic instead.
      (
        try access(credentials: .digest(username: "me", password: "hunter2")),
        "Basic bWU6aHVudGVyMg== me:hunter2", "Basic ***== me:***"
      ),
      (try access(credentials: .bearer("abc.def-ghi")), "Bearer abc.def-ghi", "Bearer ***"),
      // Headers that are secrets or have secret names.
      (
        try access(headers: named, secretFields: ["x-whatever"]),
        "german k1234567 0f9a8b7c dark session whatever abcdefgh token linux-news",
        "german *** *** dark session *** *** token linux-news"
      ),
      // Values of parameters with secret names in a plain address, and every part but the host of a secret one.
      (
        try access(
          "https://a.example/0123456789abcdef/feed?channel=UC0123456789&access_token=a%2Bb%2Bc%2Bd&author=torvalds"
        ),
        "UC0123456789 a%2Bb%2Bc%2Bd a+b+c+d torvalds 0123456789abcdef",
        "UC0123456789 *** *** torvalds 0123456789abcdef"
      ),
      (
        try access(
          "https://a.example/premium/0f9a8b7c6d.rss?auth=geheim&show=reallylongvalue&page=12", isSecret: true),
        "https://a.example/posts/0f9a8b7c6d geheim reallylongvalue 12 premium rss",
        "https://a.example/posts/*** *** *** 12 premium rss"
      ),
    ]
    for (secret, text, masked) in cases { #expect(secret.hidden.masked(text) == masked) }
    #expect(try access(headers: [("Accept-Language", "de-DE, de;q=0.7")]).hidden.isEmpty)
    #expect(try access("https://a.example/feed?format=atom&page_size=50").hidden.isEmpty)
  }

  @Test func `the secrets of a request are in its address, fields, name and certificate`() throws {
    let address = try #require(WebAddress("https://me:hunter2@a.example/?token=t1234567"))
    var request = Request(
      address: address, fields: [HeaderField("Authorization", "Bearer abc.def-ghi")],
      network: NetworkSettings())
    request.credentials = .basic(username: "you", password: "letmein")
    var other = request
    other.credentials = .certificate(ClientCertificate(file: "/f", key: "/k", password: "opensesame"))

    #expect(
      request.hidden.masked("hunter2 t1234567 abc.def-ghi letmein a.example") == "*** *** *** *** a.example")
    #expect(other.hidden.masked("hunter2 opensesame a.example") == "*** *** a.example")
  }

  @Test func `a document's texts and links are masked, and the addresses of its files stay`() {
    var item = ParsedItem()
    item.id = "urn:s3cret"
    item.title = "s3cret"
    item.link = "https://a.example/?t=s3cret"
    item.summary = "<b>s3cret</b>"
    item.content = "s3cret"
    item.author = "s3cret"
    item.categories = ["s3cret"]
    item.enclosures = [Enclosure(url: "https://a.example/s3cret.mp3")]
    var document = ParsedFeed(format: .rss)
    document.title = "s3cret"
    document.link = "https://s3cret.example/"
    document.id = "s3cret"
    document.hubLinks.add(hub: "https://hub.example/s3cret")
    document.hubLinks.accept(topic: "https://a.example/s3cret")
    document.items = [item]

    var masked = document.hiding(HiddenWords(["s3cret"]))
    #expect(masked.items[0].enclosures == item.enclosures)
    masked.items[0].enclosures = []

    #expect(!String(describing: masked).contains("s3cret"))
    #expect(document.hiding(.none) == document)
  }

  @Test func `a validator that repeats a secret is dropped, and Location stays`() {
    let response = Response(
      status: 200,
      fields: [
        HeaderField("ETag", "\"s3cret\""), HeaderField("Last-Modified", "today"),
        HeaderField("Location", "/s3cret"),
        HeaderField("Content-Disposition", "attachment; filename=s3cret.mp3"),
      ], body: [])

    let hidden = response.hiding(HiddenWords(["s3cret"]))

    #expect(hidden["ETag"] == nil)
    #expect(hidden["Last-Modified"] == "today")
    #expect(hidden["Location"] == "/s3cret")
    #expect(hidden["Content-Disposition"] == "attachment; filename=***.mp3")
  }

  @Test func `an address that repeats a secret is not learned`() throws {
    let access = try access("https://a.example/feed?token=geheim123")
    var state = FeedState()
    state.moves = [Move(address: "https://a.example/new?token=geheim123", firstSeen: now)]
    state.moves[0].isLearned = true

    #expect(access.addressToAsk(state) == access.address)
  }
}
