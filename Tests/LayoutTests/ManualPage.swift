// The parts of an mdoc(7) page that tests compare with the program: its sections, and the items of their lists.

/// A manual page.
struct ManualPage {
  /// A part of the page that begins with `.Sh` or `.Ss`.
  struct Section {
    var title: String
    var lines: [String]

    /// The options of its list items: `.It Fl q , Fl -quiet` gives `-q` and `--quiet`.
    var options: Set<String> { Set(lines.filter { $0.hasPrefix(".It Fl ") }.flatMap(flags)) }

    /// The words of its list items of the form `.It Cm WORD`.
    var commands: [String] {
      lines.filter { $0.hasPrefix(".It Cm ") }.compactMap { line in
        line.split(separator: " ").dropFirst(2).first.map(String.init)
      }
    }
  }

  /// Its sections and subsections in order, each without the subsections in it.
  let sections: [Section]
  /// The words by which other pages refer to it, such as `bgfetch.yaml 5`.
  let reference: String

  /// Reads a page of this repository.
  init(_ path: String) throws {
    var sections = [Section(title: "", lines: [])]
    for line in try Repository.text(path).split(separator: "\n").map(String.init) {
      if line.hasPrefix(".Sh ") || line.hasPrefix(".Ss ") {
        sections.append(Section(title: String(line.dropFirst(4)), lines: []))
      } else {
        sections[sections.count - 1].lines.append(line)
      }
    }
    self.sections = sections
    let name = path.split(separator: "/").last ?? ""
    reference = name.dropLast(2) + " " + name.suffix(1)
  }

  /// The sections that the page refers to: its own by `Sx TITLE`, and those of another by a quoted title, `in` and `Xr`.
  var references: [(section: String, page: String?)] {
    let lines = sections.flatMap(\.lines)
    let own = lines.flatMap { line in
      line.matches(of: /\bSx (.+?)(?= No\b| [,;.:]|$)/).map { (String($0.1), String?.none) }
    }
    let text = lines.joined(separator: " ")
    let others = text.matches(of: /(?:Do (\S[^.]*?) Dc|\.Dq (\S[^.]*?)) in \.?Xr (\S+ \d)/).map { match in
      (String(match.1 ?? match.2 ?? ""), String?(String(match.3)))
    }
    return own + others
  }

  /// The section of a title.
  func section(_ title: String) -> Section? { sections.first { $0.title == title } }

  /// The options that SYNOPSIS shows for each command.
  var synopsis: [String: Set<String>] {
    var shown: [String: Set<String>] = [:]
    var command = ""
    var isName = false
    for line in section("SYNOPSIS")?.lines ?? [] {
      if isName, line.hasPrefix(".Cm ") { command = String(line.dropFirst(4)) }
      isName = line == ".Nm bgfetch"
      shown[command, default: []].formUnion(flags(line))
    }
    return shown
  }

  /// The blocks of literal text that begin with a line, such as configurations.
  func literals(of title: String, beginningWith begins: (String) -> Bool) -> [String] {
    var blocks: [[String]] = []
    var isInside = false
    for line in section(title)?.lines ?? [] {
      if line.hasPrefix(".Bd ") {
        isInside = true
        blocks.append([])
      } else if line.hasPrefix(".Ed") {
        isInside = false
      } else if isInside {
        blocks[blocks.count - 1].append(line.replacing("\\e", with: "\\"))
      }
    }
    return blocks.filter { $0.first.map(begins) ?? false }.map { $0.joined(separator: "\n") + "\n" }
  }
}

/// The options in a line of mdoc: each word after `Fl`.
private func flags(_ line: String) -> [String] {
  let words = line.split(separator: " ")
  return zip(words, words.dropFirst()).compactMap { $0.0.hasSuffix("Fl") ? "-" + $0.1 : nil }
}
