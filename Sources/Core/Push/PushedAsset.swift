// The file that a push brings: the templates of the feed's `push`, filled with the payload's values.

/// The address and the description of the file that a push brings; nil where the feed has no `push.url`.
///
/// In the address each value is percent-encoded but for the unreserved characters of RFC 3986 (section 2.3), so that it
/// stays within its segment of the path or its part of the query. An empty value may stand only in the query; in the path it
/// would name another thing than was meant. The address is always on the origin that the user wrote.
///
/// - Parameters:
///   - payload: what the push says.
///   - feed: its feed; `{feed}` is its name, whatever the payload calls it.
/// - Returns: the address and what the file is called; nil without `push.url`.
/// - Throws: what keeps the templates from being filled; then the push is refused.
public func pushedAsset(
  _ payload: PushPayload, feed: FeedSpec
) throws(PushProblem) -> (address: String, description: String)? {
  guard let template = feed.push.url else { return nil }
  let address = try address(template, payload, feed)
  guard let wording = feed.push.description else { return (address, name(of: address)) }
  var description = ""
  for part in wording.parts {
    switch part {
    case .literal(let text): description += text
    case .placeholder(let name, _): description += try value(name, payload, feed)
    }
  }
  description = cleanText(description, limit: 256)
  return (address, description.isEmpty ? name(of: address) : description)
}

/// The address that a payload makes of the template of a feed.
private func address(
  _ template: Template, _ payload: PushPayload, _ feed: FeedSpec
) throws(PushProblem) -> String {
  var text = ""
  var isInQuery = false
  var filled: [(name: String, value: String)] = []
  for part in template.parts {
    switch part {
    case .literal(let literal):
      text += literal
      isInQuery = isInQuery || literal.utf8.contains(UInt8(ascii: "?"))
    case .placeholder(let name, _):
      let value = try value(name, payload, feed)
      guard !value.isEmpty || isInQuery else { throw .unusableValue(key: name, feed: feed.name) }
      text += percentEncoded(value)
      filled.append((name, value))
    }
  }
  // What is checked here follows from where placeholders may stand; a mistake there must not lead elsewhere.
  guard text.utf8.count <= longestAddress, let address = WebAddress(text), !address.hasUser,
    let sample = template.sampleAddress, address.origin == sample.origin
  else { throw .noAddress(cleanText(text, limit: 200), feed: feed.name) }
  if address.leads(elsewhereThan: sample), let first = filled.first {
    let dots = filled.first { $0.value == "." || $0.value.contains("..") || $0.value.contains("%") }
    throw .unusableValue(key: (dots ?? first).name, feed: feed.name)
  }
  return address.text
}

/// The most bytes of an address, as for the files of items.
private let longestAddress = 4096

private func value(_ name: String, _ payload: PushPayload, _ feed: FeedSpec) throws(PushProblem) -> String {
  if name == "feed" { return feed.name.text }
  guard let value = payload[name] else { throw .missingValue(key: name, feed: feed.name) }
  guard value.utf8.count <= PushValue.longest else { throw .unusableValue(key: name, feed: feed.name) }
  return value
}

/// A text in which all but the unreserved characters of RFC 3986 are percent-encoded, as bytes of UTF-8.
private func percentEncoded(_ text: String) -> String {
  var encoded = ""
  for byte in text.utf8 {
    let scalar = Unicode.Scalar(byte)
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": encoded.unicodeScalars.append(scalar)
    default: encoded += (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }
  }
  return encoded
}

/// What a file is called that nobody describes: the name in its address.
private func name(of address: String) -> String {
  let name = cleanText(lastSegment(ofAddress: address), limit: 256)
  return name.isEmpty ? cleanText(URIReference(address).masked.text, limit: 256) : name
}
