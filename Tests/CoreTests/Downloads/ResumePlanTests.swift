// When a download resumes, as far as is known before the request.

import Testing

@testable import Core

@Suite struct ResumePlanTests {
  private func plan(_ there: PartialDownload, at address: String = "https://cdn.example/1.mp3") throws
    -> ResumePlan
  {
    resumePlan(there, asking: try web(address))
  }

  @Test func `a download with a strong ETag resumes, unless it has more bytes than the file`() throws {
    #expect(try plan(partial()) == .resume(offset: 1000, ifRange: "\"v1\""))
    #expect(try !plan(partial { $0.bytes = 5001 }).isResume)
    #expect(try plan(PartialDownload()) == .fresh(nil))
  }

  @Test(arguments: [
    ("\"v1\"", true), ("\"\"", true), ("\"a!#~\u{E9}\"", true), ("W/\"v1\"", false), ("w/\"v1\"", false),
    ("v1", false), ("\"v1", false), ("v1\"", false), ("\"", false), ("\"a\"b\"", false), ("\"a b\"", false),
    ("\"a\u{7F}\"", false), ("", false),
  ])
  func `only a well-formed strong ETag is sent with a range`(tag: String, isStrong: Bool) throws {
    #expect(try plan(partial { $0.entityTag = tag }).isResume == isStrong)
  }

  @Test(
    arguments: [
      ("Mon, 02 Nov 2026 10:00:00 GMT", "Mon, 02 Nov 2026 10:01:00 GMT", true),
      ("Mon, 02 Nov 2026 10:00:00 GMT", "Mon, 02 Nov 2026 10:00:59 GMT", false),
      ("Mon, 02 Nov 2026 10:00:00 GMT", "Mon, 02 Nov 2026 09:00:00 GMT", false),
      ("Mon, 02 Nov 2026 10:00:00 GMT", nil, false), (nil, "Mon, 02 Nov 2026 10:01:00 GMT", false),
      ("yesterday", "Mon, 02 Nov 2026 10:01:00 GMT", false), ("Mon, 02 Nov 2026 10:00:00 GMT", "now", false),
    ] as [(String?, String?, Bool)])
  func `a date is a strong validator only if it was at least a minute old`(
    modified: String?, date: String?, isStrong: Bool
  ) throws {
    let plan = try plan(partial { ($0.entityTag, $0.lastModified, $0.date) = (nil, modified, date) })

    let expected = ResumePlan.resume(offset: 1000, ifRange: "Mon, 02 Nov 2026 10:00:00 GMT")
    #expect(isStrong ? plan == expected : !plan.isResume)
  }

  @Test(arguments: [("W/\"weak\"", false), ("unquoted", true)])
  func `a strong date replaces a malformed ETag, but not a weak one`(tag: String, resumes: Bool) throws {
    let there = partial {
      ($0.entityTag, $0.lastModified) = (tag, "Mon, 02 Nov 2026 10:00:00 GMT")
      $0.date = "Mon, 02 Nov 2026 12:00:00 GMT"
    }

    #expect(try plan(there).isResume == resumes)
  }

  @Test(arguments: [
    ("https://cdn.example/1.mp3?token=2", true), ("https://CDN.example:443/1.mp3", true),
    ("https://cdn.example/2.mp3", false), ("http://cdn.example/1.mp3", false),
    ("https://cdn2.example/1.mp3", false), ("https://cdn.example:8443/1.mp3", false),
  ])
  func `a validator goes only to its own address, with any query`(address: String, resumes: Bool) throws {
    #expect(try plan(partial(), at: address).isResume == resumes)
  }

  @Test(arguments: [
    (partial { $0.acceptsRanges = false }, "the server does not support ranges"),
    (partial { $0.bytes = 6000 }, "the partial file was longer than the file"),
    (partial { $0.entityTag = nil }, "the server sends no validator, so a change would go unnoticed"),
    (
      partial { $0.entityTag = "W/\"1\"" },
      "the server's ETag is weak, so it does not identify the exact bytes"
    ),
    (partial { $0.address = nil }, "the file now comes from another address"),
  ])
  func `every reason to start over is given`(there: PartialDownload, reason: String) throws {
    #expect(try plan(there) == .fresh(reason))
  }

}
