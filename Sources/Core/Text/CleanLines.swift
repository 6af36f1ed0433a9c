// Text of several lines made fit for a message.

/// Text of several lines, each one cleaned; line ends, LF or CR LF, are kept, as message bodies may have them.
///
/// - Parameters:
///   - text: anything.
///   - limit: the most bytes of UTF-8 to give; cut is between two characters as people see them.
/// - Returns: lines that cannot steer a terminal.
public func cleanLines(_ text: String, limit: Int) -> String {
  let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map {
    cleanText(String($0), limit: limit)
  }
  return graphemePrefix(of: lines.joined(separator: "\n"), limit: limit)
}
