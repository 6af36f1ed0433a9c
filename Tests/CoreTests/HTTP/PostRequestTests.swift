// Requests with a body, and the effect of redirects.

import Core
import Testing

@Suite struct PostRequestTests {
  private static let home = WebAddress("https://example.org/api").unsafelyUnwrapped

  private func access(headers: [HeaderField] = []) -> FeedAccess {
    var access = FeedAccess(address: Self.home, headers: headers)
    access.body = RequestBody(text: "a=b").withoutSecrets
    return access
  }

  private func chain(_ access: FeedAccess) -> RequestChain {
    var validators = Validators()
    validators.address = Self.home.text
    validators.entityTag = "\"1\""
    return RequestChain(access, validators: validators, network: NetworkSettings(), userAgent: "bgfetch/test")
  }

  private func redirect(_ status: Int, _ location: String) -> Response {
    Response(status: status, fields: [HeaderField("Location", location)], body: [])
  }

  private func type(_ request: Request) -> String? {
    request.fields.first { $0.name.lowercased() == "content-type" }?.value
  }

  @Test func `a body is sent with its type, or a configured one, and without conditions`() {
    let chain = chain(access())
    let own = self.chain(access(headers: [HeaderField("content-TYPE", "text/plain")]))

    #expect(chain.request.body == Array("a=b".utf8))
    #expect(type(chain.request) == "application/x-www-form-urlencoded")
    #expect(!chain.isConditional)
    #expect(chain.validatorKey == nil)
    #expect(type(own.request) == "text/plain")
    #expect(own.request.fields.count { $0.name.lowercased() == "content-type" } == 1)
  }

  @Test(arguments: [301, 302, 303])
  func `these redirects lead to a GET without the body and its type`(status: Int) {
    var chain = chain(access(headers: [HeaderField("Content-Type", "text/plain"), HeaderField("X-A", "b")]))

    guard case .again = chain.handle(redirect(status, "/other")) else {
      return #expect(Bool(false), "not followed")
    }

    #expect(chain.request.body == nil)
    #expect(type(chain.request) == nil)
    #expect(chain.request.fields.contains { $0.name == "X-A" })
    #expect(chain.validatorKey == "https://example.org/other")
    #expect(chain.route.permanentTarget == nil)
  }

  @Test(arguments: [307, 308])
  func `these keep the body, but only at the feed's own origin`(status: Int) {
    var chain = chain(access())
    guard case .again = chain.handle(redirect(status, "/other")) else {
      return #expect(Bool(false), "not followed")
    }
    #expect(chain.request.body == Array("a=b".utf8))
    #expect((chain.route.permanentTarget?.text == "https://example.org/other") == (status == 308))

    guard case .failed(let failure) = chain.handle(redirect(status, "https://elsewhere.example/")) else {
      return #expect(Bool(false), "the body left")
    }
    #expect(
      failure.text
        == "redirected to elsewhere.example, which would have sent the body there; if that is right, set url to that address"
    )
  }

  @Test func `a GET after a POST may go to another origin, without the body`() {
    var chain = chain(access())
    _ = chain.handle(redirect(303, "https://elsewhere.example/"))
    _ = chain.handle(redirect(307, "https://example.org/back"))

    #expect(chain.request.address.text == "https://example.org/back")
    #expect(chain.request.body == nil)
  }

  @Test(arguments: [
    ("a=b", "application/x-www-form-urlencoded"), (" {\"a\": 1}", "application/json"),
    ("[1]", "application/json"), ("", "application/x-www-form-urlencoded"),
  ])
  func `text that looks like JSON is sent as JSON`(text: String, type: String) {
    #expect(RequestBody(text: text).mediaType == type)
  }

  @Test func `secrets are put into the body, quoted for JSON, and masked`() {
    let pieces: [RequestBody.Piece] = [
      .text("{\"k\":"), .quotedSecret(.environment("A")), .text("}"), .secret(.environment("B")),
    ]
    let body = RequestBody(pieces, mediaType: RequestBody.json)
    var sent = SentBody(mediaType: body.mediaType)
    for (piece, value) in zip(pieces, ["", "ge\"heim", "", "plain-word"]) { sent.append(piece, value: value) }
    let access = with(FeedAccess(address: Self.home)) { $0.body = sent }

    #expect(body.withoutSecrets == nil)
    #expect(sent.text == "{\"k\":\"ge\\\"heim\"}plain-word")
    #expect(access.hidden.masked("x ge\"heim y ge\\\"heim z plain-word") == "x *** y *** z ***")
  }

  @Test func `another body is another request`() throws {
    func print(_ body: RequestBody?) throws -> UInt64? {
      with(try feed()) { $0.body = body }.requestFingerprint
    }
    let prints = try [RequestBody(text: "a=b"), RequestBody(text: "a=c"), nil].map(print)

    #expect(Set(prints).count == 3)
    #expect(!prints.contains(nil))
    #expect(try print(RequestBody([.secret(.environment("A"))], mediaType: RequestBody.form)) == nil)
  }
}
