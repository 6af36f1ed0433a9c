// `run`: a program and its arguments, with placeholders only where no shell or interpreter would run them. bgfetch itself
// never uses a shell.

import Core

struct Command {
  let arguments: [HookArgument]
  /// The program that would run its standard input as code, if any.
  let readerOfInput: CodeReader?
}

/// One argument as written, and the number of its group; nil outside groups.
private struct WrittenArgument {
  let written: WrittenTemplate
  let group: Int?
}

extension Field {
  func command(_ placeholders: PlaceholderSet) throws(Mistake) -> Command {
    let example = "a list such as [notify-send, --, \"{title}\", \"{body.markup}\"]"
    if isText {
      throw mistake(
        "run must be a list, because no shell is involved", cure: listCure(ofCommand: try text()))
    }
    let elements = try elements(expecting: example)
    let first = try require(elements.first, "run is empty", cure: "write \(example)")
    let written = elements.enumerated().flatMap { $1.arguments(group: $0) }
    for argument in written { argument.written.check(placeholders) }
    let program = try first.program()
    let code = CodeArguments(written.map(\.written.template.literalText))
    refuse(code, in: written)
    warnOfMeaning(in: written, placeholders)
    warnOfOptions(in: written, placeholders, notIn: code)
    return Command(
      arguments: [.one(Template(literal: program))] + grouped(written.dropFirst()),
      readerOfInput: code.onInput)
  }

  /// One argument, or the arguments of a group.
  private func arguments(group: Int) -> [WrittenArgument] {
    func argument(_ field: Field, _ group: Int?) -> WrittenArgument? {
      pass.reported(
        WrittenArgument(
          written: try field.template(expecting: "text, with placeholders in quotes"), group: group))
    }
    guard case .sequence(let nodes) = node.content else { return argument(self, nil).map { [$0] } ?? [] }
    if nodes.isEmpty { report("a group of arguments is empty", cure: "remove it") }
    return nodes.compactMap { node in
      guard case .sequence = node.content else { return argument(entry(node), group) }
      entry(node).report("groups of arguments cannot be nested", cure: "write one list inside run")
      return nil
    }
  }

  /// The program, which is the first entry.
  private func program() throws(Mistake) -> String {
    if case .sequence = node.content {
      throw mistake(
        "the program cannot be in a group of arguments", cure: "write it first, before the group")
    }
    let text = try require(
      try template().template.literalText, "the program must not be a placeholder",
      cure: "write the program itself")
    return try programPath(text)
  }

  /// Reports placeholders in arguments that a shell or an interpreter would run.
  private func refuse(_ code: CodeArguments, in written: [WrittenArgument]) {
    for (index, reader) in code.readers {
      let argument = written[index].written
      guard let name = argument.template.placeholders.first else { continue }
      let variable = Core.variableName(name)
      let cure =
        switch reader.kind {
        case .shell: "write \"$\(variable)\" in the script instead, with the quotes"
        case .interpreter: "read the environment variable \(variable) in the script instead"
        case .remote, .mail: "pass it on standard input, with stdin: \"{\(name)}\""
        case .expander where reader.program == "systemd-run":
          "write --setenv=\(variable) before the command, and use \"$\(variable)\" in a script"
        case .expander: "run a script that uses \"$\(variable)\""
        }
      let verb = reader.kind == .expander ? "expand" : "run"
      argument.field.report("\(reader.program) would \(verb) the text of {\(name)}", cure: cure)
    }
  }

  /// Warns of feed text that has a meaning for the program: a file name for curl, markup for notify-send.
  private func warnOfMeaning(in written: [WrittenArgument], _ placeholders: PlaceholderSet) {
    let words = written.map(\.written.template.literalText)
    let programs = Set(words.compactMap { $0.map(programName) })
    for (word, argument) in zip(words, written.dropFirst().map(\.written)) {
      if programs.contains("curl"), let word, curlFileOptions.contains(word),
        let name = argument.template.leadingPlaceholder, placeholders.isFree(name)
      {
        argument.field.warn(
          "{\(name)} may begin with \"@\", and curl would send a file",
          cure: "write \"@-\", and stdin: \"{\(name)}\"")
      }
      if programs.contains("notify-send"), argument.template.placeholders.contains("body") {
        argument.field.warn("notify-send would read {body} as markup", cure: "write {body.markup}")
      }
    }
  }

  /// Warns of the first argument that feed text could turn into an option.
  private func warnOfOptions(
    in written: [WrittenArgument], _ placeholders: PlaceholderSet, notIn code: CodeArguments
  ) {
    guard !code.isScript else { return }
    for (index, argument) in written.enumerated().dropFirst() {
      let before = written[index - 1].written.template.literalText
      if before == "--" || code.readers.contains(where: { $0.index == index }) { return }
      // A word after an option is taken for its value: mail -s "{title}".
      if let before, before.hasPrefix("-"), before != "-" { continue }
      if let name = argument.written.template.leadingPlaceholder, placeholders.isFree(name) {
        argument.written.field.warn(
          "{\(name)} may begin with \"-\" and be read as an option",
          cure: "write -- before it, if the program supports it")
        return
      }
    }
  }
}

/// How to write a command line as a list; quotes are read as a shell reads them.
private func listCure(ofCommand line: String) -> String {
  guard let words = plainCommand(line[...], withPlaceholders: true) else {
    return "put this line into a script, and write [/path/to/script]"
  }
  return "write [\(shown(words.map(yamlText).joined(separator: ", ")))]"
}

/// Options of curl(1) whose value is a file's name after "@" or "<".
private let curlFileOptions: Set = [
  "-d", "--data", "--data-ascii", "--data-binary", "--data-urlencode", "--json", "-F", "--form", "-H",
  "--header",
]

/// The arguments with their groups.
private func grouped(_ written: some Sequence<WrittenArgument>) -> [HookArgument] {
  var arguments: [HookArgument] = []
  var last: Int?
  for argument in written {
    let template = argument.written.template
    if let group = argument.group, group == last, case .optional(let templates)? = arguments.popLast() {
      arguments.append(.optional(templates + [template]))
    } else {
      arguments.append(argument.group == nil ? .one(template) : .optional([template]))
    }
    last = argument.group
  }
  return arguments
}
