// A request as it came over the wire.

/// One request that a `ScriptedServer` received, whole and in the order of the wire.
public struct ReceivedRequest: Sendable {
  /// The method, for example `GET`.
  public var method: String
  /// The request target as sent: `/path?query`, or a whole address where the server is used as a proxy.
  public var target: String
  /// The fields in order, names as sent.
  public var fields: [(name: String, value: String)]
  /// The body, by `Content-Length`.
  public var body: [UInt8] = []
  /// Which of the server's connections it came over, counted from 1.
  public var connection = 0
  /// The server's own `http://address:port`, for answers that must name it.
  public var origin = ""

  /// The target's path without query, also of a whole address.
  public var path: String {
    var rest = target[...]
    if let scheme = rest.range(of: "://") {
      rest = rest[scheme.upperBound...]
      rest = rest[(rest.firstIndex(of: "/") ?? rest.endIndex)...]
    }
    let path = rest.prefix { $0 != "?" }
    return path.isEmpty ? "/" : String(path)
  }

  /// The value of the first field of a name in any case; nil if it was not sent.
  public subscript(name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// Reads a request's head, without the empty line at its end; nil if it is none.
  init?(head: [UInt8]) {
    let lines = String(decoding: head, as: UTF8.self).split(
      separator: "\r\n", omittingEmptySubsequences: false)
    let parts = lines.first?.split(separator: " ") ?? []
    guard parts.count == 3 else { return nil }
    method = String(parts[0])
    target = String(parts[1])
    fields = lines.dropFirst().compactMap { line in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      return (String(line[..<colon]), String(value))
    }
  }
}

extension Substring {
  /// Where a text first occurs.
  fileprivate func range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) {
        return start..<index(start, offsetBy: text.count)
      }
      start = index(after: start)
    }
    return nil
  }
}
