// Checks the imports of every source file against the module graph of doc/architecture.md, and the form of each file.

import Glibc
import Testing

@Suite struct ImportGraphTests {
  private let sources: [(path: String, text: String)]

  init() throws {
    sources = try Repository.files(below: "Sources", endingIn: ".swift").map { ($0, try Repository.text($0)) }
  }

  @Test func `the modules of the table are those that there are, and import what it allows`() {
    var imports: [String: Set<String>] = [:]
    for (path, text) in sources {
      imports[module(of: path), default: []].formUnion(text.split(separator: "\n").compactMap(importedModule))
    }
    #expect(Set(imports.keys) == Set(allowedImports.keys))
    for (module, found) in imports {
      #expect(found == Set(allowedImports[module, default: [:]].keys), "\(module)")
    }
  }

  @Test(arguments: ["CLibYAML", "CSQLite", "CLinux", "ArgumentParser"])
  func `a library has one module that imports it`(library: String) {
    #expect(allowedImports.values.count { $0[library] != nil } == 1)
  }

  // libdispatch, the default, waits for ever where the system refuses it a thread. Tasks of the store run on its thread.
  @Test func `no task runs on libdispatch`() {
    // Few lines have one of the words, and to search for a word takes much less time.
    let words = ["Task", "@MainActor", "DispatchQueue", "static func main"]
    for (path, text) in sources where words.contains(where: { strstr(text, $0) != nil }) {
      #expect(
        !text.contains(
          /Task\.(sleep|detached|yield\(\))|@MainActor|DispatchQueue|static func main\(\) async/),
        "\(path)")
      #expect(module(of: path) == "Store" || !text.contains(/\bTask(\.immediate)?(<[^>\n]*>)? \{/), "\(path)")
    }
  }

  @Test func `a file begins with a comment about its purpose, and has at most 400 lines`() {
    for (path, text) in sources {
      #expect(text.hasPrefix("// "), "\(path)")
      #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 401, "\(path)")
    }
  }

  @Test func `no two files of Sources have the same name`() {
    let places = Dictionary(grouping: sources.map(\.path)) { $0.split(separator: "/").last ?? "" }
    for (name, paths) in places {
      #expect(paths.count == 1, "\(name): \(paths)")
    }
  }

  // Elsewhere a reader would have to count which value goes where.
  @Test func `values are assigned as a tuple only in initialisers`() {
    func isComment(_ line: Substring) -> Bool { line.drop { $0 == " " }.hasPrefix("//") }
    for (path, text) in sources {
      let lines = text.split(separator: "\n")
      // A regular expression on each line of all files takes a minute.
      for (index, line) in lines.enumerated()
      where line.utf8.first(where: { $0 != UInt8(ascii: " ") }) == UInt8(ascii: "(")
        && line.contains(/^ +\((?:[\w.?]+, )+[\w.?]+\) = (?:.* \? )?\(/)
      {
        let declaration = lines[..<index].last {
          !isComment($0) && $0.contains(/\bfunc |\binit[?(<]|\bvar \w+.* \{$/)
        }
        #expect(
          declaration?.contains(/\binit[?(<]/) ?? false || line.contains("(self."), "\(path): \(line)")
      }
    }
  }

  @Test func `a folder of a module has at least three files, or folders`() {
    let folders = Dictionary(grouping: sources) {
      $0.path[..<($0.path.lastIndex(of: "/") ?? $0.path.endIndex)]
    }
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
    "Glibc": "inet_pton, for addresses", "Swift": "composes file names: NFC has no public name yet",
    "Synchronization": "keeps what a habit foretells for a day",
  ],
  "Formats": ["Core": "reads bytes into its values", "Glibc": "iconv, for character sets"],
  "Config": ["Core": "reads text into its settings", "CLibYAML": "reads YAML"],
  "Machine": [
    "Core": "the values it hands up", "CLate": "libcurl and libcrypto", "CLinux": "GNU calls",
    "Glibc": "files, locks, processes, signals, threads", "Synchronization": "hands work to other threads",
  ],
  "Store": [
    "Core": "stores its values", "CSQLite": "the database", "CLate": "contents of items",
    "Glibc": "modes of files", "Synchronization": "the catalog, which several tasks read",
  ],
  "Fleet": [
    "Core": "the values that machines share", "Store": "fills its doors to a database and to other machines",
    "Machine": "threads, clocks, and requests to a bucket", "CLate": "libpq",
    "Glibc": "the time while a server is away", "Synchronization": "whether machines are paused",
  ],
  "Running": [
    "Core": "asks for decisions", "Formats": "reads answers", "Machine": "values and threads of its doors",
    "Store": "the state",
    "Synchronization": "what tasks under way at once know of each other",
  ],
  "bgfetch": [
    "Core": "words values", "Formats": "writes pages and feeds", "Running": "starts runs",
    "Config": "reads the configuration", "Machine": "network, files and programs", "Store": "the state",
    "Fleet": "a state that machines share", "ArgumentParser": "the command line",
    "Glibc": "output and exit status", "Synchronization": "the live line, which several tasks write",
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
