// Checks the imports of every source file against the module graph of doc/architecture.md, and the form of each file.

import Testing

@Suite struct ImportGraphTests {
  @Test(arguments: try Repository.files(below: "Sources", endingIn: ".swift"))
  func `a file imports only what its module may`(path: String) throws {
    let edges = try #require(allowedImports[module(of: path)], "a module without a row in the table")

    let imports = Set(try Repository.text(path).split(separator: "\n").compactMap(importedModule))

    #expect(imports.subtracting(edges.keys) == [])
  }

  @Test func `every module of the table exists`() throws {
    let paths = try Repository.files(below: "Sources", endingIn: ".swift")

    #expect(Set(paths.map(module)) == Set(allowedImports.keys))
  }

  @Test func `every allowed import is used`() throws {
    var imports: [String: Set<String>] = [:]
    for path in try Repository.files(below: "Sources", endingIn: ".swift") {
      imports[module(of: path), default: []].formUnion(
        try Repository.text(path).split(separator: "\n").compactMap(importedModule))
    }

    for (module, edges) in allowedImports {
      #expect(Set(edges.keys).subtracting(imports[module, default: []]) == [], "\(module)")
    }
  }

  @Test(arguments: [
    "CLibYAML", "CSQLite", "CLinux", "ArgumentParser",
  ])
  func `a library has one module that imports it`(library: String) {
    #expect(allowedImports.values.count { $0[library] != nil } == 1)
  }

  // libdispatch, the default, waits for ever where the system refuses it a thread. Tasks of the store run on its thread.
  @Test(arguments: try Repository.files(below: "Sources", endingIn: ".swift"))
  func `no task runs on libdispatch`(path: String) throws {
    let text = try Repository.text(path)

    #expect(
      !text.contains(/Task\.(sleep|detached|yield\(\))|@MainActor|DispatchQueue|static func main\(\) async/))
    guard module(of: path) != "Store" else { return }
    #expect(!text.contains(/\bTask(\.immediate)?(<[^>\n]*>)? \{/))
  }

  @Test(arguments: try Repository.files(below: "Sources", endingIn: ".swift"))
  func `a file has at most 400 lines`(path: String) throws {
    let lines = try Repository.text(path).split(separator: "\n", omittingEmptySubsequences: false)

    #expect(lines.count <= 401)
  }

  @Test(arguments: try Repository.files(below: "Sources", endingIn: ".swift"))
  func `a file begins with a comment about its purpose`(path: String) throws {
    #expect(try Repository.text(path).hasPrefix("// "))
  }

  @Test func `a folder of a module has at least three files, or folders`() throws {
    let paths = try Repository.files(below: "Sources", endingIn: ".swift")
    let folders = Dictionary(grouping: paths) { String($0[..<($0.lastIndex(of: "/") ?? $0.endIndex)]) }

    for (folder, files) in folders where files.count < 3 {
      #expect(folders.keys.contains { $0.hasPrefix(folder + "/") }, "\(folder)")
    }
  }
}

/// The allowed imports of each module, with their reasons.
///
/// No module imports one above or beside it, and none imports Foundation, which loads ICU and costs every run 4 ms.
private let allowedImports: [String: [String: String]] = [
  "Core": [
    "Swift": "composes file names: NFC has no public name yet",
    "Synchronization": "keeps what a habit foretells for a day",
  ],
  "Formats": ["Core": "reads bytes into its values", "Glibc": "iconv, for character sets"],
  "Config": ["Core": "reads text into its settings", "CLibYAML": "reads YAML"],
  "Machine": [
    "Core": "the values it hands up", "CLate": "libcurl and libcrypto", "CLinux": "GNU calls",
    "Glibc": "files, locks, processes, signals, threads",
    "Synchronization": "hands work to other threads",
  ],
  "Store": [
    "Core": "stores its values", "CSQLite": "the database", "CLate": "libpq, and contents of items",
    "Glibc": "modes of files, and the time while a server is away",
    "Synchronization": "the catalog, which several tasks read",
  ],
  "bgfetch": [
    "Core": "asks for decisions, and words values", "Formats": "reads answers, writes pages and feeds",
    "Config": "reads the configuration", "Machine": "network, files and programs", "Store": "the state",
    "ArgumentParser": "the command line", "Glibc": "output and exit status",
    "Synchronization": "what tasks under way at once know of each other",
  ],
]

/// The module that a source file belongs to: the directory below `Sources`.
private func module(of path: String) -> String {
  path.split(separator: "/").dropFirst().first.map(String.init) ?? ""
}

/// The module that a line imports; nil if it imports none.
private func importedModule(_ line: Substring) -> String? {
  let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
  let levels: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
  var words = line.split(separator: " ")[...]
  while let word = words.first, word.hasPrefix("@") || levels.contains(word) { words.removeFirst() }
  guard words.popFirst() == "import", var name = words.popFirst() else { return nil }
  if kinds.contains(name) { name = words.popFirst() ?? name }
  return name.split(separator: ".").first.map(String.init)
}
