// Words for command lines, quoted.

/// A word for a command line, quoted for a shell if needed.
public func shellWord(_ word: String) -> String {
  isPlainWord(word) ? word : "'" + replacing(["'": "'\\''"], in: word) + "'"
}

/// A text with other texts in place of some scalars.
///
/// Unlike `String.replacing`, it also finds a quote that is one Character with the combining mark after it.
public func replacing(_ pieces: [Unicode.Scalar: String], in text: String) -> String {
  text.unicodeScalars.reduce(into: "") { $0 += pieces[$1] ?? String($1) }
}

/// Whether a word needs no quotes for a shell, cron or systemd.
public func isPlainWord(_ word: String) -> Bool {
  !word.isEmpty
    && word.utf8.allSatisfy { $0.isASCIILetterOrDigit || "/._-+,:@".utf8.contains($0) }
}
