// Cookies as lines of a cookies.txt file. libcurl decides which of them a request carries.
//
// https://curl.se/docs/http-cookies.html describes the format.

/// The cookies of one chain of requests: a browser file's, and the ones that servers set on the way, which are never stored.
public struct CookieJar: Equatable, Sendable {
  /// The cookies, one on each line: domain, whether it covers subdomains, path, security, end, name and value.
  public let lines: [String]

  public init(lines: [String] = []) { self.lines = lines }

  /// Reads the file of a browser; nil if no line of it is a cookie.
  ///
  /// Only the cookies of `host` are kept: the file has those of the bank too, and a redirect could lead there.
  public init?(_ text: String, for host: String) {
    let lines = text.split(whereSeparator: \.isNewline).filter { line in
      let isComment = line.hasPrefix("#") && !line.hasPrefix(Self.hidden)
      return !isComment && Self.fields(of: line).count == 7
        && line.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x09 }
    }
    guard !lines.isEmpty else { return nil }
    self.lines = lines.filter { line in
      let fields = Self.fields(of: line)
      let domain = fields[0].drop { $0 == "." }.lowercased()
      return host == domain || fields[1] == "TRUE" && host.hasSuffix("." + domain)
    }.map(String.init)
  }

  /// The values, which messages must not show.
  var values: [String] { lines.compactMap { Self.fields(of: $0[...]).last.map(String.init) } }

  /// Whether servers get the same from both; when cookies end does not matter.
  func isSent(like other: CookieJar) -> Bool {
    func sent(_ jar: CookieJar) -> Set<[Substring]> {
      Set(jar.lines.map { Self.fields(of: $0[...]).enumerated().filter { $0.offset != 4 }.map(\.element) })
    }
    return sent(self) == sent(other)
  }

  /// The beginning of the lines with cookies that scripts of pages must not see.
  private static let hidden = "#HttpOnly_"

  private static func fields(of line: Substring) -> [Substring] {
    let line = line.hasPrefix(hidden) ? line.dropFirst(hidden.count) : line
    return line.split(separator: "\t", omittingEmptySubsequences: false)
  }
}
