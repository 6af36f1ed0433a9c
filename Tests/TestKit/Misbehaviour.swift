// The ways in which file servers go wrong, each with a name. What the right answer is, AssetAnswer knows.

/// One way in which a server of files does not do what it should, or does it in a way that is seldom seen.
///
/// Several can be true at once; of two that exclude each other, the later one counts.
public enum Misbehaviour: Sendable {
  // MARK: Ranges

  /// Every answer is 200 with the whole file, and it says nothing about ranges.
  case noRanges
  /// Ranges are served, but no `Accept-Ranges` says so.
  case silentAboutRanges
  /// A range is served although what `If-Range` names is not what is there any more.
  case ignoresIfRange
  /// A 206 that begins so many bytes after (before, where negative) what was asked, and says so.
  case rangeBeginsElsewhere(by: Int)
  /// A 206 whose body begins elsewhere than its `Content-Range` says.
  case rangeLies(by: Int)
  /// A 206 that gives another size of the whole file.
  case rangeOfOtherTotal(by: Int)
  /// A 206 that says `*` for the size of the whole file, which is allowed.
  case rangeOfUnknownTotal
  /// A 206 that ends earlier than asked, which is allowed; it is at most so long.
  case rangeAtMost(Int)
  /// A 206 with the right `Content-Range` and the whole file behind it.
  case wholeFileAs206
  /// A 206 in parts, as if several ranges had been asked.
  case multipartRange
  /// A 206 without `Content-Range`.
  case noContentRange
  /// This status to every request with a range: 416, 403.
  case refusesRanges(Int)
  /// A 206 with this part of the file to a request without a range.
  case unaskedRange(Range<Int>)
  /// A 206 with bytes of other content under the same validators.
  case rangeOfAnother(FileContent)

  // MARK: Validators

  /// No `ETag` and no `Last-Modified`.
  case noValidators
  /// No `ETag`.
  case noEntityTag
  /// No `Last-Modified`.
  case noLastModified
  /// The `ETag` is a weak one.
  case weakEntityTag
  /// Another `ETag` with every answer.
  case newEntityTag
  /// `Last-Modified` is the moment of the answer, so that it proves nothing.
  case modifiedNow
  /// Another `Last-Modified` with every answer.
  case newLastModified
  /// No `Date`, so that nobody knows how old `Last-Modified` was.
  case noDate
  /// Conditions are ignored: never 304.
  case unconditional

  // MARK: Lengths

  /// `Content-Length` promises so many bytes more than come; then the connection is closed.
  case lengthTooLong(by: Int)
  /// `Content-Length` promises so many bytes fewer than come.
  case lengthTooShort(by: Int)
  /// HTTP/1.0: no length, the end of the connection is the end of the file.
  case endsByClose
  /// The body comes in chunks, without a length.
  case chunked
  /// The file is followed by bytes without end.
  case endless
  /// Behind the file, and not counted in its length, comes this.
  case garbageBehind([UInt8])

  // MARK: What is not the file

  /// This page, with 200 and this type.
  case page(String, type: String)
  /// Nothing, with 200.
  case empty
  /// The file in gzip although nobody asked for that.
  case gzip
  /// This status with these fields.
  case status(Int, [(name: String, value: String)] = [])
  /// A redirect to this address, absolute or relative.
  case redirect(Int = 302, to: String)

  // MARK: The way of sending

  /// The connection is closed after so many bytes of the body.
  case cut(after: Int)
  /// The connection is reset after so many bytes of the body.
  case reset(after: Int)
  /// Nothing more comes after so many bytes of the body.
  case stall(after: Int)
  /// Nothing more comes after so many bytes of the body, until a test opens the gate.
  case pause(after: Int, Gate)
  /// Nothing comes, not even a head, until a test opens the gate.
  case held(Gate)
  /// At most so many bytes of the body a second.
  case slow(bytesPerSecond: Int)
  /// One more field of the head, `Content-Disposition` for example.
  case field(String, String)
}

extension Misbehaviour {
  /// A page as a portal or a login puts it before everything, with the type of a page.
  public static var loginPage: Misbehaviour { page(htmlPage, type: "text/html; charset=utf-8") }
  /// The same page with the type of the file.
  public static var pageAsAudio: Misbehaviour { page(htmlPage, type: "audio/mpeg") }
  /// An error in JSON, with 200.
  public static var errorInJSON: Misbehaviour {
    page("{\"error\": {\"code\": 403, \"message\": \"link expired\"}}", type: "application/json")
  }
  /// The status with `Retry-After`.
  public static func retryAfter(_ seconds: Int, _ status: Int = 503) -> Misbehaviour {
    .status(status, [("Retry-After", String(seconds))])
  }

  private static let htmlPage =
    "<!DOCTYPE html>\n<html><head><title>Log in</title></head><body><form action=\"/login\"></form></body></html>\n"
}
