// The environment as a value, read once; everything else takes it as an argument.

import CLinux

/// The variables that this process was started with.
public enum ProcessEnvironment {
  /// Every variable by name, the first where one is set twice (getenv(3) finds that one too).
  ///
  /// Bytes that are not UTF-8 become U+FFFD. Reading while a thread calls setenv(3) is a race; nothing here
  /// does.
  public static func current() -> [String: String] {
    var variables: [String: String] = [:]
    var next = bgfetch_environment()
    while let pointer = next, let entry = pointer.pointee {
      let text = String(cString: entry)
      if let sign = text.firstIndex(of: "=") {
        let name = String(text[..<sign])
        if variables[name] == nil { variables[name] = String(text[text.index(after: sign)...]) }
      }
      next = pointer.advanced(by: 1)
    }
    return variables
  }
}
