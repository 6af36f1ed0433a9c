// The errors of PostgreSQL and of libpq as failures of the store.

import Core
import Store

extension StoreFailure {
  /// The failure to connect, from the message of libpq about one host or several; if one of them may soon be ready, it is that.
  init(connecting message: String, place: String, shown: (String) -> String) {
    let (hosts, text) = PostgresText.refusals(message)
    let detail = shown(text)
    let failures = hosts.map { code in
      code.map { StoreFailure.refused(path: place, code: $0, detail: detail) }
        ?? .unreachable(path: place, detail: detail)
    }
    self =
      failures.first(where: \.mayPass) ?? failures.first
      ?? .refused(path: place, code: Self.uselessPlace, detail: detail)
  }
}

extension PostgresText {
  /// A message of libpq about a connection that has failed: for each host the code of its server's error, nil if it did not
  /// answer; and the message in one line, without codes and places in the server's source.
  static func refusals(_ message: String) -> (hosts: [String?], text: String) {
    var hosts: [String?] = []
    var text: [Substring] = []
    for line in message.split(whereSeparator: \.isNewline) where !line.hasPrefix("LOCATION:") {
      // As in: connection to server at "h", port 5432 failed: FATAL:  28P01: password authentication failed
      let found = line.firstRange(of: ":  ").map { line[$0.upperBound...].prefix(7) }
      let code = found.flatMap {
        $0.hasSuffix(": ") && !$0.prefix(5).contains(" ") ? String($0.prefix(5)) : nil
      }
      text.append(code.map { line.replacing("  \($0): ", with: " ", maxReplacements: 1) } ?? line)
      guard line.hasPrefix("connection to server") || line.hasPrefix("could not translate") else { continue }
      let isUseless = ["no password supplied", "certificate", "does not support SSL"]
        .contains { line.contains($0) }
      hosts.append(code ?? (isUseless ? StoreFailure.uselessPlace : nil))
    }
    // The words of the system are about the socket.
    let line = Self.line(text.joined(separator: "\n"))
    return (hosts, line.replacing("No such file or directory", with: "there is no such socket"))
  }
}
