// `include`: further files with feeds, hooks and defaults of their own, which cannot include files themselves, so the main
// file names all of them. `outputs`: files that are written from items.

import Core

/// The files that the main file includes, in the order of its patterns, each file once.
func includedParts(of main: ConfigurationPart, size: Int) -> IncludedParts {
  guard let field = main.top["include"] else { return IncludedParts() }
  let patterns = main.pass.reported(
    field.isText ? [field] : try field.elements(expecting: "a path, or a list such as [feeds.d/*.yaml]"))
  guard let patterns else { return IncludedParts(isComplete: false) }
  var includes = Includes(main.pass, size: size)
  for pattern in patterns { includes.add(pattern) }
  return includes.found
}

/// The included files.
struct IncludedParts {
  var passes: [ConfigurationPass] = []
  /// The files that are mappings.
  var parts: [ConfigurationPart] = []
  /// The directories in which patterns were searched; an empty path means directories that themselves
  /// match a pattern.
  var directories: [String] = []
  /// Whether every include was read, so that an unknown name is a mistake.
  var isComplete = true
}

/// The included files so far.
private struct Includes {
  private(set) var found = IncludedParts()

  private let main: ConfigurationPass
  /// The identities of all files that were read.
  private var known: Set<String> = []
  /// Bytes read so far.
  private var size: Int

  init(_ main: ConfigurationPass, size: Int) {
    self.main = main
    self.size = size
    // A pattern such as *.yaml also matches the main file.
    known.insert(main.context.files.identity(main.path) ?? main.path)
  }

  /// Reads the files of a pattern.
  mutating func add(_ field: Field) {
    guard let (pattern, written) = main.reported((try field.path(), try field.text())) else {
      return found.isComplete = false
    }
    func isPattern(_ text: some StringProtocol) -> Bool { text.contains { "*?[".contains($0) } }
    guard isPattern(written) else {
      read(pattern, field)
      return
    }
    let directory = pattern[..<(pattern.lastIndex(of: "/") ?? pattern.startIndex)]
    found.directories.append(isPattern(directory) ? "" : String(directory))
    switch main.context.files.matching(pattern) {
    case .success(let paths): for path in paths { read(path, field) }
    case .failure(let refusal): report(refusal, field)
    }
  }

  private mutating func read(_ path: String, _ field: Field) {
    guard known.insert(main.context.files.identity(path) ?? path).inserted else { return }
    switch main.context.files.read(path, ByteCount(main.context.largest.bytes - Int64(size))) {
    case .success(let file):
      for warning in file.warnings {
        main.warn(shown(warning.what, limit: 300), at: field.node.location, cure: warning.cure)
      }
      size += file.bytes.count
      let pass = ConfigurationPass(file: name(of: path), path: path, context: main.context)
      found.passes.append(pass)
      if let part = ConfigurationPart(file.bytes, pass, isIncluded: true) {
        found.parts.append(part)
      } else {
        found.isComplete = false
      }
    case .failure(let refusal): report(refusal, field)
    }
  }

  private mutating func report(_ refusal: Refusal, _ field: Field) {
    found.isComplete = false
    field.report(shown(refusal.what, limit: 300), cure: refusal.cure)
  }

  /// The name of a file in messages: relative to the main file, as the user named that.
  private func name(of path: String) -> String {
    let directory = main.directory == "/" ? "/" : main.directory + "/"
    guard path.hasPrefix(directory) else { return path }
    let slash = main.file.lastIndex(of: "/").map { main.file.index(after: $0) } ?? main.file.startIndex
    return String(main.file[..<slash]) + path.dropFirst(directory.count)
  }
}

// MARK: Outputs

extension OutputSpec {
  static let keys = Keys("outputs.*", OutputSpec(path: "", format: .html)) { keys in
    keys.key("feeds", \.feeds, .globs, "the feeds to include, by name, glob or @tag")
    keys.key(
      "unseen", \.unseenOnly, .flag, default: nil,
      "whether to include only unseen items; true by default for html")
    keys.key("starred", \.starredOnly, .flag, default: nil, "whether to include only starred items")
    keys.key("limit", \.limit, .number(1...5000), default: nil, "the maximum number of items")
    keys.optional("title", \.title, .text, default: nil, "the title")
  }
}

/// Reads the files to write, in the order of the configuration.
func readOutputs(_ top: Section) -> [OutputSpec] {
  var outputs: [OutputSpec] = []
  for entry in top["outputs"]?.namedEntries(
    expecting: "a mapping such as {~/news.atom: {feeds: [\"@linux\"]}}")
    ?? []
  {
    let field = Field(entry, top.pass)
    guard let output = top.pass.reported(try field.output()) else { continue }
    if outputs.contains(where: { $0.path == output.path }) {
      field.report("\(shown(entry.key)) is listed twice", cure: "write another path")
    }
    outputs.append(output)
  }
  return outputs
}

extension Field {
  fileprivate func output() throws(Mistake) -> OutputSpec {
    let path = try pathOfKey()
    let keys = try Section(
      self, OutputSpec.keys, expecting: "{} or a mapping such as {unseen: true}")
    guard let format = OutputFormat(ofPath: path) else {
      throw Mistake(
        at: keyLocation, "\(name) has no format",
        cure: "write a path that ends in .html, .atom, .xml or .json")
    }
    var output = OutputSpec(path: path, format: format)
    OutputSpec.keys.read(keys, into: &output)
    if keys["unseen"] == nil { output.unseenOnly = output.format == .html }
    return output
  }
}
