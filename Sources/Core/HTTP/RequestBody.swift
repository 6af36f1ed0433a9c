// The body of a POST, as a feed has it and as it is sent.

/// The configured body of a POST.
public struct RequestBody: Hashable, Sendable {
  /// The parts of the text, in order.
  public var pieces: [Piece]
  /// The `Content-Type`, unless a configured header says otherwise.
  public var mediaType: String

  public enum Piece: Hashable, Sendable {
    case text(String)
    /// A secret as it is.
    case secret(Secret)
    /// A secret as a string of JSON, with quotes.
    case quotedSecret(Secret)
    /// A template that becomes a string of JSON, with quotes; only in the body of a webhook. The member of an object has its
    /// name before it, and is left out if it is empty.
    case template(Template, name: String)

    public var secret: Secret? {
      switch self {
      case .secret(let secret), .quotedSecret(let secret): secret
      case .text, .template: nil
      }
    }
  }

  public init(_ pieces: [Piece], mediaType: String) {
    (self.pieces, self.mediaType) = (pieces, mediaType)
  }

  /// A text without secrets: JSON if it begins like an object or array, and a form otherwise, which is what curl sends.
  public init(text: String) {
    let first = text.utf8.first { $0 > 0x20 }
    self.init([.text(text)], mediaType: first == 0x7B || first == 0x5B ? Self.json : Self.form)
  }

  public static let json = "application/json"
  public static let form = "application/x-www-form-urlencoded"

  /// The body to send; nil if it contains a secret.
  public var withoutSecrets: SentBody? {
    var body = SentBody(mediaType: mediaType)
    for piece in pieces {
      guard case .text = piece else { return nil }
      body.append(piece)
    }
    return body
  }
}

/// The body of a POST with all secrets resolved.
public struct SentBody: Equatable, Sendable {
  public private(set) var text = ""
  public var mediaType: String
  /// The secrets in it, as they are and as they are written in it.
  private(set) var secrets: [String] = []

  public init(mediaType: String) {
    self.mediaType = mediaType
  }

  /// Appends a piece; `value` is its secret's.
  public mutating func append(_ piece: RequestBody.Piece, value: String = "") {
    switch piece {
    case .text(let text): self.text += text
    case .template: break
    case .secret:
      text += value
      secrets.append(value)
    case .quotedSecret:
      let quoted = JSONValue.string(value).text
      text += quoted
      secrets += [value, String(quoted.dropFirst().dropLast())]
    }
  }
}
