// What bars are drawn on.

/// The terminal that bars are drawn on, as it is at one moment.
struct ProgressScreen: Hashable {
  /// Its width.
  var columns: Int
  /// Its height.
  var rows: Int
  /// Whether it shows more than ASCII.
  var showsUnicode: Bool
  /// Whether colours are wanted.
  var showsColor: Bool
}

/// Whether a process with this environment writes UTF-8 (locale(7)): what of these variables is set first decides.
func writesUTF8(_ environment: [String: String]) -> Bool {
  let named = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
  guard let codeset = named?.split(separator: ".").dropFirst().first else { return false }
  return ["utf-8", "utf8"].contains(codeset.prefix { $0 != "@" }.lowercased())
}
