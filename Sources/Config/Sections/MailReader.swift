// `to`, `from`, `digest` and `stdin: mail` of a hook: messages as mail, one at a time or collected.

import Core

extension Section {
  /// The addresses of a hook's mails; nil without `to`.
  func mailAddresses() -> MailAddresses? {
    let to = self["to"]?.mailAddresses()
    let from = self["from"]?.mailAddresses(isList: false)
    if self["to"] == nil, let from = self["from"] {
      from.report("from is set, but to is not", cure: "add to: me@example.org")
    }
    return to.map { MailAddresses(to: $0, from: from?.first) }
  }
}

extension Field {
  /// One mail address or several, without names.
  fileprivate func mailAddresses(isList: Bool = true) -> [String]? {
    let example = "an address such as me@example.org"
    if isList, case .sequence = node.content {
      guard let elements = elements(expecting: example) else { return nil }
      if elements.isEmpty { report("\(name) is empty", cure: "write \(example)") }
      return elements.compactMap { $0.mailAddress(example) }
    }
    return mailAddress(example).map { [$0] }
  }

  private func mailAddress(_ example: String) -> String? {
    guard let text = someText(expecting: example) else { return nil }
    guard isMailAddress(text) else {
      report("\(name) \"\(shown(text))\" is not a plain mail address", cure: "write \(example)")
      return nil
    }
    return text
  }

  /// Reports a hook that cannot use mail on its standard input.
  func checkMail(_ hook: HookSpec, readBy command: Command?) {
    if !hook.isDigest, !hook.events.isEmpty, hook.events != [.notification] {
      report(
        "only messages can be mail", cure: "write events: [notification], and another hook for other events")
    }
    guard let reader = command?.readerOfInput else { return }
    if reader.kind == .mail {
      report(
        "\(reader.program) adds a mail header of its own", cure: "write run: [sendmail, -t], or [msmtp, -t]")
    } else {
      report(
        "\(reader.program) would run the mail as code from its standard input",
        cure: "write run: [sendmail, -t], or [msmtp, -t]")
    }
  }
}

/// Whether a text can be an address in a header as it is: ASCII without blanks, names, comments or quotes.
private func isMailAddress(_ text: String) -> Bool {
  let parts = text.split(separator: "@", omittingEmptySubsequences: false)
  return text.utf8.count <= 254 && parts.count <= 2 && parts.allSatisfy { !$0.isEmpty }
    && !text.hasPrefix("-")
    && text.utf8.allSatisfy { (0x21..<0x7F).contains($0) && !"<>()[],;:\\\"".utf8.contains($0) }
}
