// The call of a hook for one delivery: program, popup or webhook, with environment and standard input.

/// The call of a hook for one delivery.
public struct HookCall: Sendable {
  /// The receiver of an event.
  public enum Receiver: Sendable {
    /// A program and its arguments, run without a shell; each is at most 4 KiB long and without NUL.
    case program([String])
    /// The popup of this program, which shows the variables of the event.
    case popup
    /// An address to which its body, or else the input, is posted.
    case webhook(WebhookSpec)
  }

  public var receiver: Receiver
  /// The id of the event, the same at each attempt.
  public var eventID: String
  /// The variables of the event, `BGFETCH_…`, and those of the hook that are plain text.
  public var environment: [(name: String, value: String)]
  /// The variables of the hook that are secrets, resolved when the hook is run.
  public var secrets: [(name: String, secret: Secret)]
  /// The standard input, or nil for none.
  public var input: String?
  public var timeout: Interval
}

/// The call that delivers an event to a hook, with every placeholder filled in.
///
/// - Parameters:
///   - replaces: the line that the hook printed for the same identifier before, or empty.
///   - zone: the zone of times with a format.
public func hookCall(_ hook: HookSpec, _ event: Event, replaces: String, in zone: Zone) -> HookCall {
  let values = EventValues(event, replaces: replaces, in: zone)
  var environment = values.variables
  var secrets: [(name: String, secret: Secret)] = []
  for variable in hook.environment {
    switch variable.value {
    case .plain(let text): environment.append((variable.name, text))
    case .secret(let secret): secrets.append((variable.name, secret))
    }
  }
  let input: String? =
    switch hook.stdin {
    case .json: eventJSON(event).text + "\n"
    case .none: nil
    case .mail(let addresses): mail(event, by: hook.name, addresses, in: zone)
    case .text(let template): values.fill(template, limit: longestText)
    }
  let receiver: HookCall.Receiver
  if var webhook = hook.webhook {
    webhook.body = webhook.body.map(values.filled)
    receiver = .webhook(webhook)
  } else {
    receiver = hook.isPopup ? .popup : .program(hook.run.flatMap(values.arguments))
  }
  return HookCall(
    receiver: receiver, eventID: event.id, environment: environment, secrets: secrets, input: input,
    timeout: hook.timeout)
}

/// The environment variable of a field: `item.link` is `BGFETCH_ITEM_LINK`.
public func variableName(_ field: String) -> String {
  "BGFETCH_" + field.uppercased().map { $0 == "." || $0 == "-" ? "_" : String($0) }.joined()
}

/// An event as one JSON object: dotted fields are nested, and `feed` is an object with `name`.
func eventJSON(_ event: Event) -> JSONValue {
  var members: [(name: String, value: JSONValue)] = [
    ("event", .string(event.kind.rawValue)), ("event-id", .string(event.id)),
    ("time", .string(event.time.rfc3339)), ("cause", .string(event.cause.rawValue)),
  ]
  let feed: [(name: String, value: JSONValue)] = event.feed.map { [("feed.name", $0.json)] } ?? []
  let parts = (feed + event.fields.members).map { name, value in
    (names: name.split(separator: ".", maxSplits: 1).map(String.init), value: value)
  }
  for group in parts.filter({ $0.names.count == 2 }).grouped(by: \.names[0]) {
    let name = group[0].names[0]
    let nested = group.map { (name: $0.names[1], value: $0.value) }
    let others = event.hasItem && name == "item" ? detailMembers(event.details).members : []
    members.append((name, .object(nested + others)))
  }
  return .object(members + parts.filter { $0.names.count == 1 }.map { ($0.names[0], $0.value) })
}

/// The values of all placeholders and variables of one delivery.
private struct EventValues {
  private let event: Event
  private let fields: JSONValue
  private let zone: Zone

  init(_ event: Event, replaces: String, in zone: Zone) {
    var fields = JSONValue([
      "event": event.kind.rawValue, "event-id": event.id, "time": event.time, "cause": event.cause.rawValue,
      "feed": event.feed,
    ]).adding(event.fields)
    if event.kind == .notification {
      // The message of a feed lists the first titles, a summary a few of each feed, and a template of your own perhaps none.
      let listed = event.items.filter { event.text("body").contains($0.title.prefix(40)) }
      let numbers = (listed.isEmpty ? event.items.prefix(mostTitles) : listed[...]).map(\.number)
      let text = numbers.filter { $0 > 0 }.map(String.init).joined(separator: " ")
      fields = fields.adding(
        JSONValue(["body.markup": markup(event.text("body")), "replaces": replaces, "numbers": text]))
    }
    (self.event, self.fields, self.zone) = (event, fields, zone)
  }

  /// The arguments that an entry of `run` gives; none if one of its optional placeholders is empty.
  func arguments(_ argument: HookArgument) -> [String] {
    switch argument {
    case .one(let template): [fill(template)]
    case .optional(let templates):
      templates.flatMap(\.placeholders).contains { value($0, limit: 64).isEmpty }
        ? [] : templates.map { fill($0) }
    }
  }

  /// The variables `BGFETCH_…`.
  var variables: [(name: String, value: String)] {
    var values: [(name: String, value: String)] = []
    for (name, value) in fields.members {
      // Items do not fit into a variable.
      if case .array = value { continue }
      values.append((name, value.argument))
    }
    if event.hasItem {
      values += detailPlaceholders.sorted().map { ($0, value($0, limit: longestArgument)) }
    }
    return values.map { (variableName($0.name), limited($0.value, limit: longestArgument)) }
  }

  func fill(_ template: Template, limit: Int = longestArgument) -> String {
    let text = template.filled { name, format in
      let text = value(name, limit: limit)
      guard let format else { return text }
      return Int(format).map { shortened(text, to: $0) } ?? time(Instant(rfc3339: text), format, in: zone)
    }
    return limited(text, limit: limit)
  }

  /// A body whose templates are strings of JSON.
  func filled(_ body: RequestBody) -> RequestBody {
    var pieces: [RequestBody.Piece] = []
    func add(_ text: String) {
      var isFirst = false
      if case .text(let before)? = pieces.last { isFirst = before.hasSuffix("{") }
      // The comma is after a member that was left out.
      pieces.append(.text(isFirst && text.hasPrefix(",") ? String(text.dropFirst()) : text))
    }
    for piece in body.pieces {
      switch piece {
      case .text(let text): add(text)
      case .template(let template, let name):
        let text = fill(template, limit: longestText)
        if name.isEmpty || !text.isEmpty { add(name + JSONValue.string(text).text) }
      case .secret, .quotedSecret: pieces.append(piece)
      }
    }
    return RequestBody(pieces, mediaType: body.mediaType)
  }

  private func value(_ name: String, limit: Int) -> String {
    detailPlaceholders.contains(name)
      ? event.details?.text(name, limit: limit) ?? "" : fields.fieldText(name)
  }
}

/// A body for notifiers that read markup: `&<>` escaped, backslashes doubled, and cut before an escape that would not fit
/// into an argument.
func markup(_ text: String) -> String {
  var output = ""
  for character in text {
    let escaped = escapedMarkup(String(character), for: .notification)
    guard output.utf8.count + escaped.utf8.count <= longestArgument else { break }
    output += escaped
  }
  return output
}

/// The longest argument or variable, in bytes.
let longestArgument = 4096
/// The longest text on standard input or in the body of a request: a whole content, and what is around it.
private let longestText = 2 * Int(DetailBounds.mostContent.bytes)

/// The beginning of a text, of at most as many UTF-16 units, by which chats count.
public func shortened(_ text: String, to most: Int) -> String {
  guard text.utf16.count > most else { return text }
  var (output, length) = ("", 1)
  for character in text {
    length += character.utf16.count
    guard length <= most else { break }
    output.append(character)
  }
  return output + "…"
}

/// Text without NUL and of at most `limit` bytes, cut between characters.
private func limited(_ text: String, limit: Int) -> String {
  let text =
    text.utf8.contains(0) ? String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\0" })) : text
  return graphemePrefix(of: text, limit: limit)
}
