// Pages in place of files, and incomplete files.

import Core
import Testing

@Suite struct PageProblemTests {
  private func problem(
    _ bytes: [UInt8], answer: String?, url: String = "https://cdn.example/1.mp3", type: String? = nil,
    address: String? = nil
  ) throws -> TransferFailure? {
    pageProblem(
      bytes, head: reply(200, answer.map { [("Content-Type", $0)] } ?? []),
      asset: Asset(url: url, type: type), address: try web(address ?? url))
  }

  @Test(arguments: [
    ("<!DOCTYPE html><html>", nil), ("<html lang='en'>", "application/octet-stream"),
    ("\u{FEFF}\n\n  <!-- hi -->\n<!doctype HTML>", nil), ("Sorry", "text/html; charset=utf-8"),
    ("<head><title>Log in", nil), ("<script>location='/'</script>", nil),
    ("<p>not found</p>", "application/xhtml+xml"),
  ])
  func `a page instead of sound is refused`(body: String, answer: String?) throws {
    #expect(try problem(Array(body.utf8), answer: answer) == .page("an HTML page"))
  }

  @Test(arguments: ["yaml", "yml", "toml"])
  func `a page instead of a configuration, or in UTF-16 instead of sound, is refused`(end: String) throws {
    let (url, page) = ("https://a.example/hosts." + end, TransferFailure.page("an HTML page"))
    let wide: [UInt8] = [0xFF, 0xFE] + "<html>".utf8.flatMap { [$0, 0] }

    #expect(try problem(Array("<!doctype html><p>".utf8), answer: "text/html", url: url) == page)
    #expect(try problem(Array("a = 1".utf8), answer: "text/plain", url: url) == nil)
    #expect(try problem(wide, answer: nil) == page)
  }

  @Test(
    arguments: [
      ("{\"error\": \"gone\"}", nil), ("  {\"error\": 1}", "application/json"),
      ("[]", "application/problem+json"),
      ("<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>", "application/xml"),
      ("<Error><Code>NoSuchKey</Code></Error>", nil), ("Too many downloads today", "text/plain"),
    ] as [(String, String?)])
  func `an error message instead of sound is refused`(body: String, answer: String?) throws {
    #expect(try problem(Array(body.utf8), answer: answer) == .page("an error message"))
  }

  @Test func `a page is refused in place of an unknown file that is there, or of an image of a disk`() throws
  {
    func problem(_ isReplacement: Bool, _ asset: Asset = .feedBody) throws -> TransferFailure? {
      pageProblem(
        Array("<html>".utf8), head: reply(200), asset: asset, address: try web("https://a.example/latest"),
        isReplacement: isReplacement)
    }
    let former = PlacedFile(directory: "/d", name: "list/x.iso", size: 1, sha256: "", placed: now)
    let page = PlacedFile(directory: "/d", name: "list/x.html", size: 1, sha256: "", placed: now)

    #expect(try problem(false) == nil)
    #expect(try problem(true) == .page("an HTML page"))
    #expect(try problem(true, .feedBody(replacing: former, at: nil)) == .page("an HTML page"))
    #expect(try problem(true, .feedBody(replacing: page, at: nil)) == nil)
    #expect(try problem(false, .feedBody(replacing: nil, at: web("https://a.example/b.mp3"))) != nil)
  }

  @Test func `sound that is declared to be a page is sound`() throws {
    #expect(try problem(Array("%PDF-1.4".utf8), answer: "text/plain", url: "https://a.example/b.pdf") == nil)
    #expect(try problem(Array("ID3".utf8) + [3, 0, 0, 0, 0, 15, 118], answer: "text/html") == nil)
    #expect(try problem([0xFF, 0xFB, 0x90, 0x64, 0x00], answer: "text/html") == nil)
  }

  @Test(
    arguments: [
      ("https://a.example/page.html", nil), ("https://a.example/page", "text/html"),
      ("https://a.example/article/17", nil), ("https://a.example/view.php?id=1", nil),
    ] as [(String, String?)])
  func `a page is accepted if one was expected, or nothing is known`(url: String, type: String?) throws {
    #expect(try problem(Array("<html>".utf8), answer: "text/html", url: url, type: type) == nil)
  }

  @Test(arguments: [
    ("https://a.example/chart.svg", "<svg xmlns='http://www.w3.org/2000/svg'>"),
    ("https://a.example/data.json", "{}"), ("https://a.example/feed.xml", "<?xml version='1.0'?>"),
    ("https://a.example/list.m3u8", "#EXTM3U"), ("https://a.example/notes.txt", "{not json}"),
  ])
  func `files that are text may look like it`(url: String, body: String) throws {
    #expect(try problem(Array(body.utf8), answer: nil, url: url) == nil)
  }

  @Test func `the expected type is that in the document, else that of the addresses`() throws {
    let page = Array("<html>".utf8)

    #expect(try problem(page, answer: nil, url: "https://a.example/dl?id=1", type: "audio/mpeg") != nil)
    #expect(try problem(page, answer: nil, url: "https://a.example/x.mp3", type: "text/html") == nil)
    #expect(
      try problem(
        page, answer: nil, url: "https://a.example/dl.php", type: "application/octet-stream",
        address: "https://cdn.example/big.iso") != nil)
  }

  @Test func `an empty body passes, and only the beginning is examined`() throws {
    #expect(try problem([], answer: "text/html") == nil)
    #expect(
      try problem([UInt8](repeating: 0x41, count: 1024) + [0], answer: "text/html") == .page("an HTML page"))
    #expect(try problem(Array("<!--".utf8), answer: nil, url: "https://a.example/x.pdf") == nil)
  }

  @Test(
    arguments: [
      (100, 100, nil, [], nil), (99, 100, nil, [], .short(received: 99, total: 100)),
      (101, 100, nil, [], .overlong(total: 100)), (0, nil, nil, [], .empty), (0, 0, nil, [], .empty),
      (0, 100, nil, [], .short(received: 0, total: 100)), (99, nil, nil, [], nil), (99, nil, 100, [], nil),
      (99, nil, 100, [("Connection", "close")], .short(received: 99, total: 100)),
      (101, nil, 100, [("Connection", "close")], nil),
      (99, nil, 100, [("Connection", "close"), ("Transfer-Encoding", "chunked")], nil),
      (99, 99, 100, [("Connection", "close"), ("Content-Length", "99")], nil),
    ] as [(Int64, Int64?, Int64?, [(String, String)], TransferFailure?)])
  func `a file is complete when it has the server's length`(
    received: Int64, total: Int64?, declared: Int64?, fields: [(String, String)], failure: TransferFailure?
  ) {
    #expect(
      lengthProblem(
        received: received, partial: partial { $0.total = total },
        asset: Asset(url: "https://a.example/1", length: declared), head: reply(200, fields)) == failure)
  }

  @Test(arguments: [(150, true), (149, false), (151, false)] as [(Int64, Bool)])
  func `a part in chunks has its declared length, or is refused`(received: Int64, isRight: Bool) {
    let problem = lengthProblem(
      received: received, partial: partial { $0.total = 300 }, asset: Asset(url: "https://a.example/1"),
      head: reply(206, [("Content-Range", "bytes 100-149/300"), ("Transfer-Encoding", "chunked")]))

    // Even if the part is right, it is not the whole file.
    if isRight {
      #expect(problem == .short(received: 150, total: 300))
    } else {
      #expect(problem == .wrongRange("a part that ends at \(received) instead of 150"))
    }
  }
}
