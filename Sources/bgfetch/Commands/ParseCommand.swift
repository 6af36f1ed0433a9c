// `bgfetch parse`.

import ArgumentParser
import Core
import FeedReading

struct ParseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "parse", abstract: "Print what a feed document holds; nothing is stored")

  @OptionGroup var common: CommonOptions

  @Argument(help: ArgumentHelp("The document; - is standard input.", valueName: "file"), completion: .file())
  var file: String

  @Option(help: ArgumentHelp("The address it comes from, for relative links.", valueName: "url"))
  var base: String?

  @Option(
    help: ArgumentHelp("The configured feed whose document it is.", valueName: "name"), completion: .feedNames
  )
  var feed: String?

  func run() async {
    await Invocation.perform(common) { invocation in
      let bytes = try invocation.read(file, limit: ByteCount(1 << 30), purpose: "the document")
      let source = try feed.map { try invocation.feed(named: $0) }
      let document: ParsedFeed
      do throws(FeedReadingFailure) {
        document = try readFeed(
          bytes, as: source?.kind ?? .feed, contentType: nil,
          address: base.flatMap { $0.isEmpty ? nil : $0 } ?? source?.address?.text)
      } catch {
        invocation.console.say("bgfetch: \(file): \(FetchFailure.notAFeed(error).text)", .error)
        return .allFailed
      }
      if invocation.console.isJSON {
        invocation.console.print(parseReport(document))
      } else {
        for line in parsedLines(document, of: source, isVerbose: common.verbose) {
          invocation.console.print(line)
        }
      }
      return .success
    }
  }
}
