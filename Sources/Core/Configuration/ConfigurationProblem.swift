// One mistake in a configuration, with its place and cure.

/// A mistake or a warning in a configuration: `FILE:LINE:COLUMN: what is wrong; what would be right`.
public struct ConfigurationProblem: Error, Hashable, Sendable {
  /// The file as the user named it.
  public var file: String
  /// The line, from 1.
  public var line: Int
  /// The column in characters, from 1.
  public var column: Int
  /// What is wrong, without place and cure.
  public var what: String
  /// What would be right; nil where there is nothing to say.
  public var cure: String?
  /// Whether the configuration can be used all the same.
  public var isWarning: Bool

  /// A problem at a place.
  public init(file: String, line: Int, column: Int, what: String, cure: String?, isWarning: Bool = false) {
    self.file = file
    self.line = line
    self.column = column
    self.what = what
    self.cure = cure
    self.isWarning = isWarning
  }

  /// The problem as one line.
  public var text: String {
    "\(file):\(line):\(column): " + (isWarning ? "warning: " : "") + what + (cure.map { "; " + $0 } ?? "")
  }
}
