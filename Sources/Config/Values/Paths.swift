// Paths and `file:` URLs: `~` and variables are expanded, and relative paths start at the configuration's directory, not at
// cron's.

import Core

extension Field {
  func path(or alternatives: String = "") -> String? {
    let expected = "a path" + alternatives
    if node.isNone {
      report("\(name) cannot be none", cure: "write \(expected)")
      return nil
    }
    guard let text = someText(expecting: expected) else { return nil }
    return path(text)
  }

  /// The key itself as a path.
  func pathOfKey() -> String? { path(key) }

  private func path(_ text: String) -> String? {
    do throws(PathProblem) {
      return absolutePath(try expandedPath(text, pass.context), in: pass.directory)
    } catch {
      report("\(name): \(error.what)", cure: error.cure)
      return nil
    }
  }
}

struct PathProblem: Error {
  var what: String
  var cure: String
}

/// A path with `~`, `~/…`, `$NAME` and `${NAME}` replaced.
func expandedPath(_ text: String, _ context: ConfigurationContext) throws(PathProblem) -> String {
  var rest = text[...]
  var path = ""
  if rest.first == "~" {
    guard rest.count == 1 || rest.dropFirst().first == "/" else {
      throw PathProblem(
        what: "~user is not supported", cure: "write the full path")
    }
    path = try home(context)
    rest = rest.dropFirst()
  }
  while let dollar = rest.firstIndex(of: "$") {
    path += rest[..<dollar]
    rest = rest[rest.index(after: dollar)...]
    let isBraced = rest.first == "{"
    if isBraced { rest = rest.dropFirst() }
    let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    rest = rest[name.endIndex...]
    guard !name.isEmpty, !isBraced || rest.first == "}" else {
      throw PathProblem(what: "\"$\" is not followed by a variable name", cure: "write $NAME or ${NAME}")
    }
    if isBraced { rest = rest.dropFirst() }
    path += try variable(String(name), context)
  }
  return path + rest
}

/// The value of a variable.
///
/// Those of the XDG Base Directory Specification have its defaults, which also replace a relative path.
private func variable(_ name: String, _ context: ConfigurationContext) throws(PathProblem) -> String {
  let value = context.environment[name] ?? ""
  if let fallback = baseDirectories[name] {
    return value.hasPrefix("/") ? value : try home(context) + fallback
  }
  if name == "HOME", value.isEmpty { return try home(context) }
  guard !value.isEmpty else {
    throw PathProblem(
      what: "the environment variable $\(name) is not set",
      cure: "write the full path, because cron and systemd set few variables")
  }
  return value
}

private let baseDirectories = [
  "XDG_DATA_HOME": "/.local/share", "XDG_STATE_HOME": "/.local/state", "XDG_CONFIG_HOME": "/.config",
  "XDG_CACHE_HOME": "/.cache",
]

private func home(_ context: ConfigurationContext) throws(PathProblem) -> String {
  guard context.home.hasPrefix("/") else {
    throw PathProblem(what: "the home directory is unknown", cure: "write the full path")
  }
  return context.home
}

/// A path made absolute, without doubled slashes and `.`; `..` stays, because it may follow a symbolic link.
func absolutePath(_ path: String, in directory: String) -> String {
  let whole = path.hasPrefix("/") ? path : directory + "/" + path
  return "/" + whole.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
}

/// The program of a command: `~/` is expanded and a relative path starts at the file's directory; a bare name
/// is searched in PATH when it is run.
func programPath(_ text: String, _ field: Field) -> String? {
  guard !text.isEmpty else {
    field.report("\(field.name) has no program", cure: "write the program first")
    return nil
  }
  guard text.utf8.contains(UInt8(ascii: "/")) else { return text }
  guard text.hasPrefix("~/") else { return absolutePath(text, in: field.pass.directory) }
  do throws(PathProblem) {
    return absolutePath(try home(field.pass.context) + text.dropFirst(), in: field.pass.directory)
  } catch {
    field.report("\(field.name): \(error.what)", cure: error.cure)
    return nil
  }
}

extension Field {
  /// The file of a `file:` URL; its path may begin with `~` or a variable, or be relative to the
  /// configuration.
  func fileAddress(_ text: String) -> FileAddress? {
    var rest = text.dropFirst("file:".count)
    guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      report("\(name) contains a control character", cure: "write it as % and two digits")
      return nil
    }
    if rest.hasPrefix("//") {
      let host = rest.dropFirst(2).prefix { $0 != "/" }
      rest = rest.dropFirst(2 + host.count)
      guard host.isEmpty || host.lowercased() == "localhost" else {
        let isPath = host.hasPrefix("~") || host.hasPrefix("$") || host.hasPrefix(".")
        report(
          "\(name) is a file on the host \"\(shown(String(host)))\"; only local files can be read",
          cure: "write file:" + (isPath ? "" : "///") + shown("\(host)\(rest)"))
        return nil
      }
    }
    if let mark = rest.first(where: { $0 == "?" || $0 == "#" }) {
      report(
        "\(name) contains a \"\(mark)\", which would end the path",
        cure: "write it as \(mark == "?" ? "%3F" : "%23")")
      return nil
    }
    guard let path = FileAddress.decoded(String(rest)) else {
      report("\(name) contains a \"%\" without two hexadecimal digits", cure: "write the percent sign as %25")
      return nil
    }
    guard !path.isEmpty, !path.hasSuffix("/") else {
      report("\(name) does not name a file", cure: "write file:///srv/feeds/planet.xml")
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
