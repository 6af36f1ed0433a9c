// When a download resumes, as far as is known before the request.

import Core
import Testing

@Suite struct ResumePlanTests {
  @Test func `a download with a strong ETag resumes`() throws {
    #expect(
      resumePlan(partial(), asking: try web("https://cdn.example/1.mp3"))
        == .resume(offset: 1000, ifRange: "\"v1\""))
  }

  @Test func `the last byte of a complete file is requested as a proof`() throws {
    let whole = partial { $0.bytes = 5000 }

    #expect(
      resumePlan(whole, asking: try web("https://cdn.example/1.mp3"))
        == .resume(offset: 4999, ifRange: "\"v1\""))
  }

  @Test func `without bytes there is no reason to give`() throws {
    #expect(
      resumePlan(PartialDownload(), asking: try web("https://cdn.example/1.mp3")) == .fresh(nil))
  }

  @Test(
    arguments: [
      ("\"v1\"", true), ("\"\"", true), ("\"a!#~\u{E9}\"", true), ("W/\"v1\"", false), ("w/\"v1\"", false),
      ("v1", false), ("\"v1", false), ("v1\"", false), ("\"", false), ("\"a\"b\"", false), ("\"a b\"", false),
      ("\"a\u{7F}\"", false), ("", false),
    ])
  func `only a well-formed strong ETag is sent with a range`(tag: String, isStrong: Bool) throws {
    let plan = resumePlan(partial { $0.entityTag = tag }, asking: try web("https://cdn.example/1.mp3"))

    #expect(plan.isResume == isStrong)
  }

  @Test(
    arguments: [
      ("Mon, 02 Nov 2026 10:00:00 GMT", "Mon, 02 Nov 2026 10:01:00 GMT", true),
      ("Mon, 02 Nov 2026 10:00:00 GMT", "Mon, 02 Nov 2026 10:00:59 GMT", false),
      ("Mon, 02 Nov 2026 10:00:00 GMT", "Mon, 02 Nov 2026 09:00:00 GMT", false),
      ("Mon, 02 Nov 2026 10:00:00 GMT", nil, false), (nil, "Mon, 02 Nov 2026 10:01:00 GMT", false),
      ("yesterday", "Mon, 02 Nov 2026 10:01:00 GMT", false),
      ("Mon, 02 Nov 2026 10:00:00 GMT", "now", false),
    ] as [(String?, String?, Bool)])
  func `a date is a strong validator only if it was at least a minute old`(
    modified: String?, date: String?, isStrong: Bool
  ) throws {
    let there = partial {
      $0.entityTag = nil
      $0.lastModified = modified
      $0.date = date
    }

    let plan = resumePlan(there, asking: try web("https://cdn.example/1.mp3"))

    let expected = ResumePlan.resume(offset: 1000, ifRange: "Mon, 02 Nov 2026 10:00:00 GMT")
    #expect(isStrong ? plan == expected : !plan.isResume)
  }

  @Test(arguments: [("W/\"weak\"", false), ("unquoted", true)])
  func `a strong date replaces a malformed ETag, but not a weak one`(
    tag: String, resumes: Bool
  ) throws {
    let there = partial {
      $0.entityTag = tag
      $0.lastModified = "Mon, 02 Nov 2026 10:00:00 GMT"
      $0.date = "Mon, 02 Nov 2026 12:00:00 GMT"
    }

    #expect(resumePlan(there, asking: try web("https://cdn.example/1.mp3")).isResume == resumes)
  }

  @Test(
    arguments: [
      ("https://cdn.example/1.mp3?token=2", true), ("https://CDN.example:443/1.mp3", true),
      ("https://cdn.example/2.mp3", false), ("http://cdn.example/1.mp3", false),
      ("https://cdn2.example/1.mp3", false), ("https://cdn.example:8443/1.mp3", false),
    ])
  func `a validator goes only to its own address, with any query`(
    address: String, resumes: Bool
  ) throws {
    #expect(resumePlan(partial(), asking: try web(address)).isResume == resumes)
  }

  @Test func `every reason to start over is given`() throws {
    let address = try web("https://cdn.example/1.mp3")
    let cases = [
      partial { $0.acceptsRanges = false }, partial { $0.bytes = 6000 }, partial { $0.entityTag = nil },
      partial { $0.entityTag = "W/\"1\"" }, partial { $0.address = nil },
    ]

    let reasons = try cases.map { there in
      guard case .fresh(let reason?) = resumePlan(there, asking: address) else {
        throw Mistake.noReason
      }
      return reason
    }

    #expect(
      reasons == [
        "the server does not support ranges", "the partial file was longer than the file",
        "the server sends no validator, so a change would go unnoticed",
        "the server's ETag is weak, so it does not identify the exact bytes",
        "the file now comes from another address",
      ])
  }

  private enum Mistake: Error { case noReason }
}
