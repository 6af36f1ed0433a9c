// JSON Pointer (RFC 6901), with `*` for every element. Where pointers lead is FeedReading's business.

/// A place in a JSON document, or with `*` several (RFC 6901).
///
/// The empty text is the whole value. A `*` alone between slashes is every element of an array, or every member of an
/// object; that is ours, RFC 6901 knows only a member of that name. `~1` is a slash and `~0` a tilde in a name.
public struct JSONPointer: Hashable, Sendable {
  /// The pointer as written.
  public let text: String
  /// Its reference tokens, escapes resolved.
  public let tokens: [Token]

  /// One step of the way.
  public enum Token: Hashable, Sendable {
    /// Every element or member.
    case every
    /// The member of an object, or the element of an array if the name is the index of one.
    case member(String, index: Int?)
  }

  /// More steps than any document needs; what follows a pointer goes as deep.
  public static let mostTokens = 32

  /// Reads a pointer.
  public init(parsing text: String) throws(JSONPointerProblem) {
    self.text = text
    guard !text.isEmpty else {
      tokens = []
      return
    }
    guard text.hasPrefix("/") else {
      let meant = pointerMeant(by: text)
      throw JSONPointerProblem(
        what: "is no JSON pointer",
        cure: meant.isEmpty ? "write \"\" for the whole of it" : "write \(meant)", column: 1)
    }
    let written = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    guard written.count <= Self.mostTokens else {
      throw JSONPointerProblem(
        what: "has \(written.count) steps", cure: "write at most \(Self.mostTokens)", column: 1)
    }
    var tokens: [Token] = []
    for name in written {
      if name == "*" {
        tokens.append(.every)
      } else if let bad = loneTilde(in: name) {
        throw JSONPointerProblem(
          what: "holds a \"~\" that escapes nothing", cure: "write ~0 for \"~\", and ~1 for \"/\" in a name",
          column: text.distance(from: text.startIndex, to: bad) + 1)
      } else {
        let name = String(name).replacing("~1", with: "/").replacing("~0", with: "~")
        tokens.append(.member(name, index: arrayIndex(name)))
      }
    }
    self.tokens = tokens
  }
}

/// Why a text is no pointer.
public struct JSONPointerProblem: Error, Hashable, Sendable {
  /// What is wrong, as the rest of a sentence about the text.
  public let what: String
  /// What would be right.
  public let cure: String
  /// The character it is about, from 1.
  public let column: Int
}

/// The place of a tilde that neither 0 nor 1 follows; nil if there is none.
private func loneTilde(in name: Substring) -> Substring.Index? {
  name.indices.first { index in
    guard name[index] == "~" else { return false }
    let next = name.index(after: index)
    return next == name.endIndex || name[next] != "0" && name[next] != "1"
  }
}

/// The index that a token writes: digits without a leading zero (RFC 6901 section 4); nil if it is none.
private func arrayIndex(_ token: String) -> Int? {
  guard token.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
    token == "0" || !token.hasPrefix("0")
  else { return nil }
  return Int(token)
}

/// The pointer that somebody had in mind who wrote a bare name, JSONPath, a jq filter or a fragment of an address.
private func pointerMeant(by text: String) -> String {
  let isPath = text.hasPrefix("$") || text.hasPrefix(".") || text.contains("[")
  let separators: Set<Character> = isPath ? ["$", ".", "[", "]", "\"", "'", "/"] : ["#", "/"]
  let names = text.replacing("[]", with: "[*]").split { separators.contains($0) }
  return names.map { "/" + $0.replacing("~", with: "~0") }.joined()
}
