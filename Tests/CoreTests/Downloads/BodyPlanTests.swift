// The meaning of a response's head for its body.

import Testing

@testable import Core

@Suite struct BodyPlanTests {
  private let resume = ResumePlan.resume(offset: 1000, ifRange: "\"v1\"")
  private let rest = ("Content-Range", "bytes 1000-4999/5000")

  private func plan(
    _ status: Int, _ fields: [(String, String)], _ resume: ResumePlan, there: PartialDownload = partial(),
    url: String = "https://cdn.example/1.mp3", type: String? = nil, download: DownloadSpec = DownloadSpec(),
    at address: String? = nil
  ) throws -> (plan: BodyPlan, partial: PartialDownload) {
    bodyPlan(
      for: reply(status, fields), resume, partial: there, asset: Asset(url: url, type: type),
      download: download, address: try web(address ?? url))
  }

  private func isWrongRange(_ plan: BodyPlan) -> Bool {
    if case .refused(.wrongRange) = plan { true } else { false }
  }

  @Test func `a matching 206 is the rest, or a part of it, and contains the size of the file`() throws {
    let (matching, known) = try plan(206, [rest, ("ETag", "\"v1\"")], resume)
    let less = try plan(206, [("Content-Range", "bytes 1000-1999/5000")], resume)
    let unsized = partial { $0.total = nil }

    #expect(matching == .append(from: 1000))
    #expect(known == partial())
    #expect(less.plan == .append(from: 1000))
    #expect(less.partial.total == 5000)
    #expect(try plan(206, [rest], resume, there: unsized).partial.total == 5000)
    // A part of a file of unknown size may be any part.
    let any = ("Content-Range", "bytes 1000-4999/*")
    #expect(try isWrongRange(plan(206, [any], resume, there: unsized).plan))
  }

  @Test(arguments: [
    [("Content-Range", "bytes 999-4999/5000")], [("Content-Range", "bytes 0-4999/5000")],
    [("Content-Range", "bytes 1001-4999/5000")], [("Content-Range", "bytes 1000-4999/*")],
    [("Content-Range", "bytes 1000-5000/5000")], [("Content-Range", "bytes 1000-999/5000")],
    [("Content-Range", "items 1000-4999/5000")], [("Content-Range", "bytes */5000")],
    [("Content-Range", "bytes 1000-4999")], [("Content-Range", "bytes -1000-4999/5000")],
    [("Content-Range", "bytes 99999999999999999999-4999/5000")], [],
    [("Content-Range", "bytes 1000-9223372036854775807/*")],
    [("Content-Range", "bytes 1000-9223372036854775806/9223372036854775807")],
    [("Content-Range", "bytes 1000-4999/5000"), ("Content-Type", "multipart/byteranges; boundary=x")],
    [("Content-Range", "bytes 1000-4999/5000"), ("Content-Length", "3993")],
    [("Content-Range", "bytes 1000-4999/5000"), ("Content-Length", "3999")],
    [("Content-Range", "bytes 1000-4999/5000"), ("Content-Length", "4001")],
  ])
  func `a 206 that does not match is refused`(fields: [(String, String)]) throws {
    let (plan, known) = try plan(206, fields, resume)

    #expect(isWrongRange(plan), "\(plan)")
    #expect(known == partial())
    #expect(try self.plan(206, [rest, ("Content-Length", "4000")], resume).plan == .append(from: 1000))
  }

  @Test(arguments: [
    (what: "of no version", tag: nil, type: "text/html", url: "https://cdn.example/1.mp3", isRest: false),
    (
      "of the version, by a server with a default type", "\"v1\"", "text/html", "https://cdn.example/1.mp3",
      true
    ),
    ("that is expected", nil, "text/html; charset=utf-8", "https://cdn.example/1.html", true),
    ("of another type", nil, "audio/mpeg", "https://cdn.example/1.mp3", true),
    ("in place of an unknown file", nil, "text/html", "https://cdn.example/1", true),
  ])
  func `a page is the rest only if it repeats the validator`(
    what: String, tag: String?, type: String, url: String, isRest: Bool
  ) throws {
    let fields = [rest, ("Content-Type", type)] + [tag.map { ("ETag", $0) }].compactMap(\.self)

    let (plan, known) = try plan(206, fields, resume, url: url)

    #expect((plan == .append(from: 1000)) == isRest, "\(what): \(plan)")
    #expect(known.bytes == partial().bytes, "\(what)")
  }

  @Test(arguments: [
    [("Content-Range", "bytes 1000-5999/6000")],
    [("Content-Range", "bytes 1000-4999/5000"), ("ETag", "\"v2\"")],
    [("Content-Range", "bytes 1000-4999/5000"), ("ETag", "W/\"v1\"")],
    [
      ("Content-Range", "bytes 1000-4999/5000"), ("ETag", "\"v1\""),
      ("Last-Modified", "Mon, 02 Nov 2026 10:00:01 GMT"),
    ],
  ])
  func `a 206 of another version of the file is refused, and the whole file is requested`(
    fields: [(String, String)]
  ) throws {
    let there = partial { $0.lastModified = "Mon, 02 Nov 2026 10:00:00 GMT" }

    let (plan, _) = try plan(206, fields, resume, there: there)

    guard case .refused(let failure) = plan, case .changed = failure else {
      return #expect(Bool(false), "\(plan)")
    }
    #expect(reasonToAskWhole(failure) == text(of: failure))
  }

  @Test(
    arguments: [
      (206, "bytes 0-4999/5000", nil, true), (200, "bytes 0-4999/5000", "5000", true),
      (206, "bytes 0-3999/5000", nil, false), (206, "bytes 1-4999/5000", nil, false),
      (206, "bytes 0-4999/*", nil, false), (206, "bytes 0-4999/5000", "4999", false), (206, nil, nil, false),
      (200, "bytes 1000-4999/5000", "4000", false), (200, "bytes 1000-4999/*", nil, false),
      (203, "items", "5000", false),
    ] as [(Int, String?, String?, Bool)])
  func `a part that was not requested is used only if it is the whole file`(
    status: Int, range: String?, length: String?, isWhole: Bool
  ) throws {
    let fields = [range.map { ("Content-Range", $0) }, length.map { ("Content-Length", $0) }].compactMap(
      \.self)

    for there in [PartialDownload(), partial()] {
      let plan = try plan(status, fields, .fresh(nil), there: there).plan
      if case .fromStart = plan {
        #expect(isWhole, "\(there)")
      } else {
        #expect(isWrongRange(plan), "\(plan)")
        #expect(!isWhole, "\(plan)")
      }
    }
  }

  @Test(
    arguments: [
      ([("Content-Length", "5000")], true), ([("Content-Length", "5000"), ("ETag", "\"v1\"")], true),
      ([("Content-Length", "5000"), ("Content-Range", "bytes 0-4999/5000")], true),
      ([("Content-Length", "6000"), ("ETag", "\"v2\"")], true),
      ([("Content-Length", "4000"), ("ETag", "\"v2\"")], false), ([("Content-Length", "4000")], false),
      ([("Content-Length", "4000"), ("ETag", "\"v1\"")], false), ([("ETag", "\"v2\"")], false), ([], false),
      ([("Transfer-Encoding", "chunked"), ("ETag", "\"v1\"")], false),
      ([("Content-Length", "4000"), ("ETag", "\"v1\""), ("Content-Range", "bytes 1000-4999/5000")], false),
      ([("Content-Length", "5000"), ("ETag", "\"v1\""), ("Content-Range", "bytes 1000-4999/5000")], false),
      ([("Content-Length", "6000")], false),
    ] as [([(String, String)], Bool)])
  func `a 200 to a range is used only if it is proved to be the whole file`(
    fields: [(String, String)], isWhole: Bool
  ) throws {
    let plan = try plan(200, fields, resume).plan

    guard case .refused(let failure) = plan else { return #expect(isWhole, "\(plan)") }
    #expect(!isWhole)
    #expect(reasonToAskWhole(failure) != nil)
    #expect(!failure.keepsReceivedBytes)
  }

  @Test(
    arguments: [
      ("\"v1\"", "4000", nil), ("\"v1\"", "6000", nil), ("\"v1\"", "5000", 5000), ("\"v1\"", nil, 5000),
      ("W/\"v1\"", "4000", nil), ("\"v2\"", "4000", 4000), ("\"v2\"", nil, -1), (nil, "4000", nil),
    ] as [(String?, String?, Int64?)])
  func `the whole file has the known length as long as its strong ETag is the same`(
    tag: String?, length: String?, total: Int64?
  ) throws {
    let fields = [tag.map { ("ETag", $0) }, length.map { ("Content-Length", $0) }].compactMap(\.self)

    let (plan, known) = try plan(200, fields, .fresh("because"))

    guard let total else {
      guard case .refused(.changed) = plan else { return #expect(Bool(false), "\(plan)") }
      return
    }
    #expect(plan == (tag == "\"v1\"" ? .append(from: 0) : .fromStart("because")))
    #expect(known.total == (total < 0 ? nil : total))
  }

  @Test func `a 200 is the whole file, and replaces all facts about it`() throws {
    let (plan, known) = try plan(
      200,
      [
        ("Content-Length", "6000"), ("ETag", "\"v2\""), ("Last-Modified", "x"), ("Date", "y"),
        ("Accept-Ranges", "bytes"),
      ],
      resume, at: "https://cdn.example/1.mp3?sig=1")

    #expect(plan == .fromStart("the file has changed on the server: its ETag differs"))
    let expected = with(PartialDownload()) {
      ($0.total, $0.entityTag, $0.lastModified, $0.date) = (6000, "\"v2\"", "x", "y")
      ($0.acceptsRanges, $0.address) = (true, "https://cdn.example/1.mp3?sig=1")
    }
    #expect(known == expected)
  }

  @Test(
    arguments: [
      ([("Content-Length", "5000")], "the server sent the whole file instead of the rest"),
      (
        [("Content-Length", "6000"), ("ETag", "\"v2\"")],
        "the file has changed on the server: its ETag differs"
      ),
    ] as [([(String, String)], String)])
  func `a 200 to a range says why it starts over`(fields: [(String, String)], reason: String) throws {
    #expect(try plan(200, fields, resume).plan == .fromStart(reason))
  }

  @Test(
    arguments: [
      ("a page of a portal", [("Content-Type", "text/html"), ("Content-Length", "70")], false),
      ("nothing is known about it", [], false), ("a shorter file", [("Content-Length", "1000")], false),
      ("a longer file", [("Content-Length", "6000")], false), ("no byte", [("Content-Length", "0")], false),
      ("the known length", [("Content-Length", "5000")], true),
      ("another version", [("Content-Length", "1000"), ("ETag", "\"v2\"")], true),
      ("another version of unknown length", [("ETag", "\"v2\"")], true),
      ("a weak validator", [("Content-Length", "1000"), ("ETag", "W/\"v2\"")], false),
      ("a validator of another kind", [("Last-Modified", "Mon, 02 Nov 2026 10:00:00 GMT")], false),
      ("a picture", [("ETag", "\"v2\""), ("Content-Type", "image/png")], false),
      ("it is compressed", [("ETag", "\"v2\""), ("Content-Encoding", "gzip")], false),
    ] as [(String, [(String, String)], Bool)])
  func `a whole file replaces bytes that can be resumed only if the server gives a reason`(
    what: String, fields: [(String, String)], replaces: Bool
  ) throws {
    let (plan, known) = try plan(200, fields, .fresh("because"))

    if replaces {
      #expect(plan == .fromStart("because"), "\(what)")
    } else {
      guard case .refused = plan else { return #expect(Bool(false), "\(what): \(plan)") }
      #expect(known.bytes == partial().bytes, "\(what)")
    }
    // Bytes that cannot be resumed are of no use.
    let useless = partial { $0.entityTag = nil }
    let isRefused =
      if case .refused = try self.plan(200, fields, .fresh("because"), there: useless).plan {
        true
      } else {
        false
      }
    #expect(!isRefused, "\(what)")
  }

  @Test func `a validator from another address says nothing about the bytes`() throws {
    let fields = [("ETag", "\"v2\""), ("Content-Length", "6000")], there = "https://portal.example/1.mp3"

    guard case .refused(.changed) = try plan(200, fields, .fresh("because"), at: there).plan else {
      return #expect(Bool(false), "the bytes are given up")
    }
    let same = [("ETag", "\"v1\""), ("Content-Length", "5000")]
    #expect(try plan(200, same, .fresh("because"), at: there).plan == .fromStart("because"))
    #expect(try plan(200, same, resume).plan == .append(from: 0))
  }

  @Test func `the reason not to resume is the reason to start over`() throws {
    let useless = partial { $0.acceptsRanges = false }

    #expect(try plan(200, [], .fresh("because"), there: useless).plan == .fromStart("because"))
    #expect(try plan(200, [], .fresh(nil), there: PartialDownload()).plan == .fromStart(nil))
  }

  @Test(arguments: [201, 202, 204, 205, 207, 226])
  func `other 2xx responses are refused`(status: Int) throws {
    #expect(try plan(status, [], .fresh(nil)).plan == .refused(.fetch(.status(status))))
  }

  @Test func `a response that declares more than max-size is refused before its first byte`() throws {
    let download = with(DownloadSpec()) { $0.maxSize = ByteCount(4096) }
    func plan(_ name: String, _ value: String, _ status: Int = 200) throws -> BodyPlan {
      try self.plan(
        status, [(name, value)], status == 200 ? .fresh(nil) : resume,
        there: status == 200 ? PartialDownload() : partial(), download: download
      ).plan
    }

    for (size, name, value, status) in [(4097, "Content-Length", "4097", 200), (5000, rest.0, rest.1, 206)] {
      let failure = TransferFailure.tooLarge(limit: ByteCount(4096), size: ByteCount(Int64(size)))
      #expect(try plan(name, value, status) == .refused(failure))
    }
    for (name, value) in [
      ("Content-Length", "4096"), ("Content-Length", "-1"), ("Content-Length", "many"), ("X-Length", "9999"),
    ] { #expect(try plan(name, value) == .fromStart(nil)) }
  }

  /// The use of the body.
  enum Use { case asSent, decoded, refused }

  @Test(
    arguments: [
      ("gzip", "https://a.example/1.mp3", nil, .decoded), ("br", "https://a.example/x.gz", nil, .decoded),
      ("deflate", "https://a.example/1.mp3", nil, .decoded),
      ("identity, X-GZIP", "https://a.example/1.mp3", nil, .decoded),
      ("gzip", "https://a.example/x.tar.gz", nil, .asSent),
      ("x-gzip", "https://a.example/X.TGZ", nil, .asSent),
      ("gzip", "https://a.example/x", "application/gzip", .asSent),
      ("gzip", "https://a.example/x.php?f=a.gz", nil, .decoded),
      ("zstd", "https://a.example/x.pkg.tar.zst", nil, .asSent),
      ("gzip, gzip", "https://a.example/x.gz", nil, .refused),
      ("zstd", "https://a.example/1.mp3", nil, .refused),
      ("aws-chunked, gzip, br", "https://a.example/1.mp3", nil, .refused),
      ("identity", "https://a.example/1.mp3", nil, .asSent), ("", "https://a.example/1.mp3", nil, .asSent),
      ("aws-chunked", "https://a.example/1.mp3", nil, .asSent),
      ("UTF-8", "https://a.example/1.mp3", nil, .asSent),
      ("unheard-of", "https://a.example/1.mp3", nil, .asSent),
    ] as [(String, String, String?, Use)])
  func `a coding that was not requested is undone, unless it is the file's own form`(
    coding: String, url: String, type: String?, use: Use
  ) throws {
    let head = [("Content-Encoding", coding), ("Content-Length", "10"), ("Accept-Ranges", "bytes")]

    let (plan, known) = try plan(200, head, .fresh(nil), there: PartialDownload(), url: url, type: type)

    switch plan {
    case .fromStart(nil):
      #expect(use == .asSent)
      #expect(known.total == 10)
    case .decoded(nil):
      #expect(use == .decoded)
      #expect(known.total == nil)
      #expect(known.acceptsRanges == false)
    case .refused(.encoded): #expect(use == .refused)
    default: #expect(Bool(false), "\(plan)")
    }
  }

  @Test func `a file that its disposition names compressed stays so`() throws {
    let head = [("Content-Encoding", "gzip"), ("Content-Disposition", "attachment; filename=\"x.tar.gz\"")]

    #expect(
      try plan(200, head, .fresh(nil), there: PartialDownload(), url: "https://a.example/get?id=5").plan
        == .fromStart(nil))
  }

  @Test func `a part in a coding is refused, and the whole file is requested`() throws {
    let head = [("Content-Encoding", "gzip"), ("Content-Range", "bytes 1000-4999/5000")]

    guard case .refused(let failure) = try plan(206, head, resume).plan else { return #expect(Bool(false)) }
    #expect(text(of: failure) == "the server sent compressed bytes (gzip)")
    #expect(reasonToAskWhole(failure) != nil)
  }

  @Test func `a length that does not end the body is not the total`() throws {
    let head = [("Content-Length", "10"), ("Transfer-Encoding", "chunked")]

    #expect(try plan(200, head, .fresh(nil), there: PartialDownload()).partial.total == nil)
  }

  @Test func `a feed's body resumes although its address is not stored`() throws {
    let known = bodyPlan(
      for: reply(200, [("ETag", "\"v1\"")]), .fresh(nil), partial: PartialDownload(), asset: Asset(url: ""),
      download: DownloadSpec(), address: try web("https://secret.example/token/a.iso?k=1")
    ).partial

    #expect(!(known.address ?? "secret").contains("secret"))
    let there = with(known) { $0.bytes = 10 }
    #expect(resumePlan(there, asking: try web("https://secret.example/token/a.iso?k=2")).isResume)
    #expect(!resumePlan(there, asking: try web("https://secret.example/token/b.iso")).isResume)
  }
}
