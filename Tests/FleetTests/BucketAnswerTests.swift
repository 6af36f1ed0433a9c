// The meaning of an S3 server's answers.

import Core
import Testing

@testable import Fleet

@Suite struct BucketAnswerTests {
  @Test(
    arguments: [
      ("<A><B>1</B><B>2</B></A>", ["1", "2"]), ("<B></B>", [""]),
      ("<B>a&amp;b&lt;c&gt;&quot;&#34;&apos;&#39;</B>", ["a&b<c>\"\"''"]),
      ("<B>&amp;lt;</B>", ["&lt;"]), ("<B>1", []), ("", []), ("</B><B>", []), ("<BB>1</BB>", []),
      ("<B><C>&amp;</C></B>", ["<C>&amp;</C>"]),
    ])
  func `elements are found by name`(text: String, contents: [String]) {
    #expect(xmlElements("B", in: text.utf8, atMost: .max) == contents)
  }

  @Test func `elements are found by their bytes, and no more than are wanted`() {
    #expect(xmlElements("B", in: "\u{600}<B>\u{301}1</B>\u{301}<B>2</B>".utf8, atMost: 1) == ["\u{301}1"])
    #expect(xmlElements("B", in: "<B>x&#x41;&bogus;</B>".utf8, atMost: 9) == ["xA&bogus;"])
  }

  @Test func `a server cannot make a message show the keys`() {
    let problem = bucketProblem(
      answer(403, "AKIAEXAMPLE"), at: "https://s3/b", hiding: HiddenWords(["AKIAexample"]))

    #expect(
      problem
        == .denied(
          path: "https://s3/b",
          detail: "the server refuses access (***); check the keys and the policy of the bucket"))
  }

  private func answer(_ status: Int, _ code: String? = nil) -> Response {
    let body = code.map {
      "<?xml version=\"1.0\"?><Error><Code>\($0)</Code><Message>geheim</Message></Error>"
    }
    return Response(status: status, fields: [], body: Array((body ?? "").utf8))
  }

  @Test(
    arguments: [
      (
        403, "SignatureDoesNotMatch",
        "the server does not accept the keys (SignatureDoesNotMatch); check access-key and secret-key"
      ),
      (
        403, "InvalidAccessKeyId",
        "the server does not accept the keys (InvalidAccessKeyId); check access-key and secret-key"
      ),
      (403, "RequestTimeTooSkewed", "the clock of this machine is wrong (RequestTimeTooSkewed); set it"),
      (
        403, "AccessDenied",
        "the server refuses access (AccessDenied); check the keys and the policy of the bucket"
      ),
      (403, nil, "the server refuses access (403); check the keys and the policy of the bucket"),
      (404, "NoSuchBucket", "there is no such bucket (NoSuchBucket); create it, or correct s3"),
      (404, nil, "there is no S3 service (404); correct s3"),
      (
        301, "PermanentRedirect",
        "the bucket is in another place (PermanentRedirect); correct s3 and region"
      ),
      (307, nil, "the bucket is in another place (307); correct s3 and region"),
      (
        400, "AuthorizationHeaderMalformed",
        "the bucket is in another place (AuthorizationHeaderMalformed); correct s3 and region"
      ),
      (503, "SlowDown", "the server is in trouble (SlowDown); the next run tries again"),
      (507, nil, "the server is in trouble (507); the next run tries again"),
    ] as [(Int, String?, String)])
  func `a refusal of the bucket says what to do`(status: Int, code: String?, detail: String) {
    #expect(
      bucketProblem(answer(status, code), at: "https://s3/b") == .denied(path: "https://s3/b", detail: detail)
    )
  }

  @Test func `a refusal of one object is a failure of its transfer`() {
    #expect(
      bucketProblem(answer(400, "InvalidArgument"), at: "https://s3/b")
        == .other(path: "https://s3/b", detail: "the server answered 400 (InvalidArgument)"))
  }

  @Test func `an error within a success is an error, and its code is short and harmless`() {
    let long = answer(200, "In\u{1B}[31mternal Error" + String(repeating: "x", count: 1000))

    #expect(answer(200).isSuccess)
    #expect(!answer(200, "InternalError").isSuccess)
    #expect(!answer(300).isSuccess)
    #expect(long.errorCode.map { $0.hasPrefix("In31mternalErrorxxx") && $0.utf8.count <= 64 } == true)
  }

  @Test(
    arguments: [
      ("mine/7", 7), ("mine/", nil), ("mine", nil), ("other/7", nil), ("mine/7/8", nil), ("/7", nil),
      ("", nil), (nil, nil),
    ] as [(String?, Int64?)])
  func `only the mark of the store makes an object its own`(owner: String?, transfer: Int64?) {
    let fields = owner.map { [HeaderField("X-Amz-Meta-Bgfetch", $0)] } ?? []
    let head = Response(status: 200, fields: fields + [HeaderField("Content-Length", "5")], body: [])

    #expect(StoredObject(head, mark: "mine").transfer == transfer)
    #expect(StoredObject(head, mark: "").transfer == nil)
  }

  @Test(arguments: ["2010-11-10T20:48:33.000Z", "2010-11-10T20:48:33Z"])
  func `the date of an upload is read`(text: String) {
    #expect(Instant(rfc3339: text) == Instant(secondsSince1970: 1_289_422_113))
  }
}
