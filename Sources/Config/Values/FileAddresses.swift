// `file:` URLs, whose paths are expanded like all paths of the configuration.

import Core

extension Field {
  /// The file of a `file:` URL; its path may begin with `~` or a variable, or be relative to the
  /// configuration.
  func fileAddress(_ text: String) -> FileAddress? {
    var rest = text.dropFirst("file:".count)
    guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      report("\(name) holds a control character", cure: "write it as % and two digits")
      return nil
    }
    if rest.hasPrefix("//") {
      let host = rest.dropFirst(2).prefix { $0 != "/" }
      rest = rest.dropFirst(2 + host.count)
      guard host.isEmpty || host.lowercased() == "localhost" else {
        let isPath = host.hasPrefix("~") || host.hasPrefix("$") || host.hasPrefix(".")
        report(
          "\(name) names the host \"\(shown(String(host)))\", and a file is read on this machine only",
          cure: "write file:" + (isPath ? "" : "///") + shown("\(host)\(rest)"))
        return nil
      }
    }
    if let mark = rest.first(where: { $0 == "?" || $0 == "#" }) {
      report(
        "\(name) holds a \"\(mark)\", which would end the path",
        cure: "write it as \(mark == "?" ? "%3F" : "%23")")
      return nil
    }
    guard let path = FileAddress.decoded(String(rest)) else {
      report("\(name) holds a \"%\" that stands for no byte of a path", cure: "write the percent sign as %25")
      return nil
    }
    guard !path.isEmpty, !path.hasSuffix("/") else {
      report("\(name) names no file", cure: "write file:///srv/feeds/planet.xml")
      return nil
    }
    do throws(PathProblem) {
      return FileAddress(path: absolutePath(try expandedPath(path, pass.context), in: pass.directory))
    } catch {
      report("\(name): \(error.what)", cure: error.cure)
      return nil
    }
  }
}
