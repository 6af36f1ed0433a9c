// `bgfetch push`.

import ArgumentParser
import Core

struct PushCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push", abstract: "Take a push, which makes its feed due at once")

  @OptionGroup var common: CommonOptions

  @Argument(
    help: ArgumentHelp("The payload, a JSON object; - or nothing is standard input.", valueName: "file"),
    completion: .file())
  var file: String?

  @Option(
    help: ArgumentHelp("The feed to push, in place of a payload.", valueName: "name"), completion: .feedNames)
  var feed: String?

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp("With --feed: a key of the payload, for push.url.", valueName: "key=value"),
    transform: readPushValue)
  var values: [PushValue] = []

  @Flag(name: .customLong("run"), help: "Run what is due, unless a run is at work already.")
  var runs = false

  func validate() throws {
    if feed == nil, !values.isEmpty { throw ValidationError("--set takes --feed") }
    if feed != nil, file != nil { throw ValidationError("write a file or --feed, not both") }
  }

  func run() async {
    await Invocation.perform(common) { invocation in
      let source = feed.map { PushOrder.Source.values(feed: $0, values) } ?? .payload(file: file)
      return try await invocation.push(PushOrder(source: source, runs: runs))
    }
  }
}

/// Reads a key and its value of the command line.
private func readPushValue(_ text: String) throws -> PushValue {
  guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
    throw ValidationError("\"\(text)\" sets nothing; write KEY=VALUE")
  }
  let value = PushValue(name: String(text[..<equals]), text: String(text[equals...].dropFirst()))
  guard value.text.utf8.count <= PushValue.longest else {
    throw ValidationError("the value of \"\(value.name)\" is longer than \(PushValue.longest) bytes")
  }
  return value
}
