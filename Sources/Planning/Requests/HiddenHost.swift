// A failure's words where the feed's address is a secret, of which the host is a part.

public import Model

extension FetchFailure {
  /// The failure in words without the host that was asked or the one that it led to, or anything else of where a
  /// redirect leads: that may hold the secret, too.
  public func text(hiding host: String) -> String {
    if case .badRedirect = self { return FetchFailure.badRedirect("").text }
    return [host, namedHost ?? ""].reduce(text) { hiding($1, in: $0) }
  }

  private var namedHost: String? {
    switch self {
    case .unresolved(let host, _), .unreachable(let host, _), .refused(let host), .insecureRedirect(let host),
      .privateAddress(let host):
      host
    default: nil
    }
  }
}

/// A text with a word in it masked, in whatever case it is written.
private func hiding(_ word: String, in text: String) -> String {
  let hidden = Array(word.utf8)
  let bytes = Array(text.utf8)
  guard !hidden.isEmpty else { return text }
  var shown: [UInt8] = []
  var index = 0
  while index < bytes.count {
    let end = index + hidden.count
    if end <= bytes.count,
      zip(bytes[index..<end], hidden).allSatisfy({ asciiLowercased($0) == asciiLowercased($1) })
    {
      shown += Array("***".utf8)
      index = end
    } else {
      shown.append(bytes[index])
      index += 1
    }
  }
  return String(decoding: shown, as: UTF8.self)
}
