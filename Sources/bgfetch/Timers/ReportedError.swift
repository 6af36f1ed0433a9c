// The last error that `run --watch` has reported, so that it reports each once.

/// The last error that was reported.
struct ReportedError {
  private var lines: [String] = []
  private var isOfServer = false

  /// Whether an error is news, and has to be reported now.
  ///
  /// - Parameter isOfServer: whether the server of the state cannot be used for some time; libpq says that in other words each time.
  mutating func isNews(_ lines: [String], isOfServer: Bool = false) -> Bool {
    guard lines != self.lines, !(isOfServer && self.isOfServer) else { return false }
    self.lines = lines
    self.isOfServer = isOfServer
    return true
  }

  /// Records that all is well again.
  mutating func forget() { self = ReportedError() }
}
