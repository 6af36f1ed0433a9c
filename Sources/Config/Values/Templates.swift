// Templates: balanced braces, placeholders that exist in their place, formats only on times. In the templates of `push`
// placeholders are keys of the payload; in an address they are allowed only after the authority, so that no payload
// chooses the server.

import Core

/// A template with its field, so that its placeholders can be checked later.
struct WrittenTemplate {
  let template: Template
  let field: Field

  /// Reports unknown placeholders; true if there are none.
  @discardableResult func check(_ known: PlaceholderSet) -> Bool {
    report { mistake($0, $1, known) }
  }

  /// Reports the mistakes of placeholders; true if there are none.
  private func report(_ mistake: (_ name: String, _ format: String?) -> (what: String, cure: String)?) -> Bool
  {
    var isRight = true
    for (index, (name, format)) in placeholders.enumerated() {
      guard let mistake = mistake(name, format) else { continue }
      field.pass.report(mistake.what, at: location(ofPlaceholder: index), cure: mistake.cure)
      isRight = false
    }
    return isRight
  }

  /// The placeholders in order, each with its format.
  var placeholders: [(name: String, format: String?)] {
    template.parts.compactMap { part in
      if case .placeholder(let name, let format) = part { (name, format) } else { nil }
    }
  }

  /// The location of a placeholder in the file, by its index.
  func location(ofPlaceholder index: Int) -> Location {
    field.location(ofCharacter: template.positions[index])
  }

  private func mistake(_ name: String, _ format: String?, _ known: PlaceholderSet) -> (
    what: String, cure: String
  )? {
    guard known.names.contains(name) else {
      return ("there is no placeholder {\(shown(name))} \(known.context)", cure(forUnknown: name, known))
    }
    guard let format else { return nil }
    guard timePlaceholders.contains(name) else {
      let takesLength = known.context.hasPrefix("for ")
      if takesLength, (1...100_000).contains(Int(format) ?? 0) { return nil }
      return (
        "{\(name)} is not a time and takes no format",
        "write {\(name)}" + (takesLength ? ", or {\(name):200} for at most 200 characters" : "")
      )
    }
    do throws(TextProblem) {
      _ = try TimeFormat(format)
      return nil
    } catch {
      return ("the format of {\(name)} \(shown(error.what))", "write {\(name):%Y-%m-%d}, for example")
    }
  }

  private func cure(forUnknown name: String, _ known: PlaceholderSet) -> String {
    let last = name.split(separator: ".").last.map(String.init)
    let bare = known.names.first { $0 == last }
    if let meant = bare ?? nearest(name, among: known.names)?.word { return "did you mean {\(meant)}?" }
    let homes = EventKind.subscribable.filter { PlaceholderSet.hook([$0]).names.contains(name) }
    if known.context.hasPrefix("for "), !homes.isEmpty {
      return "{\(name)} is available only for " + list(homes.map(\.rawValue), "and")
    }
    return "allowed here: " + known.names.map { "{\($0)}" }.joined(separator: ", ")
  }
}

extension Field {
  /// A template with balanced braces; its placeholders are checked later.
  func template(expecting expected: String = "text") throws(Mistake) -> WrittenTemplate {
    let template = try parsed(
      expecting: expected, { _ in "" }, Template.init(parsing:))
    return WrittenTemplate(template: template, field: self)
  }
}

extension Template {
  /// The placeholder with which the text begins, if any.
  var leadingPlaceholder: String? {
    if case .placeholder(let name, _)? = parts.first { name } else { nil }
  }

  /// The text of a template without placeholders.
  var literalText: String? {
    placeholders.isEmpty ? filled { _, _ in "" } : nil
  }
}

extension Field {
  /// The template of the address that a push fetches.
  func pushAddress() throws(Mistake) -> Template {
    let text = try someText(expecting: "a \(addressExample)")
    let written = try template(expecting: "a \(addressExample)")
    guard written.checkNames(), written.checkPlaces() else { throw .reported }
    guard let address = written.template.sampleAddress else {
      throw space(inURL: text)
        ?? mistake("\(name) is not an http or https URL", cure: "write a \(addressExample)")
    }
    try require(
      !address.hasUser, "\(name) contains a user name or a password",
      cure: "write auth: beside push:, and the URL without them")
    try require(
      !URIReference(address.text).hasDotSegment, "\(name) contains a . or .. segment",
      cure: "write the resulting path")
    return written.template
  }

  /// The template of the description of the file.
  func pushDescription() throws(Mistake) -> Template {
    let example = "text such as \"Podcast Episode {content-id}\""
    _ = try someText(expecting: example)
    let written = try template(expecting: example)
    guard written.checkNames() else { throw .reported }
    return written.template
  }
}

private let addressExample = "URL such as https://planet.example/files/{content-id}.mp3"

extension WrittenTemplate {
  /// Reports placeholders that no payload can fill; true if there are none.
  fileprivate func checkNames() -> Bool {
    report { name, format in
      if name == "aps" || name.contains(".") {
        return ("{\(name)} cannot be used", "use a top-level key outside aps, such as {content-id}")
      }
      return format == nil ? nil : ("{\(name)} is not a time and takes no format", "write {\(name)}")
    }
  }

  /// Reports a first placeholder that would choose the server; true if there is none.
  fileprivate func checkPlaces() -> Bool {
    var beginning = ""
    for case .literal(let text) in template.parts.prefix(while: {
      if case .literal = $0 { true } else { false }
    }) {
      beginning += text
    }
    let reference = URIReference(beginning)
    guard let name = template.placeholders.first, !reference.path.contains("/"), reference.query == nil else {
      return true
    }
    field.pass.report(
      "{\(name)} is before the path of \(field.name), but a push must not choose the server",
      at: location(ofPlaceholder: 0), cure: "use placeholders only in the path and the query")
    return false
  }
}
