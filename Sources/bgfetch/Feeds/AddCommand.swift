// `bgfetch add`: finds a feed and writes it into the configuration.

import ArgumentParser
import Config
import Core

struct AddCommand: ProgramCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a feed to the configuration or the catalog, by its own address or that of its page")

  @OptionGroup var common: CommonOptions

  @Argument(
    help: ArgumentHelp(
      "The address of a feed or of a page that has one, such as lwn.net.", valueName: "url"))
  var url: String

  @Argument(help: ArgumentHelp("The feed's name; default: made from its title.", valueName: "name"))
  var name: String?

  @Option(
    name: .customLong("tag"), help: ArgumentHelp("A tag for the feed; may be repeated.", valueName: "tag"))
  var tags: [String] = []

  @Flag(name: .customLong("download"), help: "Download the files of its items, such as episodes.")
  var downloads = false

  @Option(help: ArgumentHelp("Take this feed if a page has several, counted from 1.", valueName: "number"))
  var choose: Int?

  @Option(
    help: ArgumentHelp("Write to this file, which the configuration includes.", valueName: "file"),
    completion: .configurationFile)
  var file: String?

  @Flag(help: "Put it into the catalog instead of a file.")
  var catalog = false

  @Option(help: ArgumentHelp("With --catalog, the profile with its settings.", valueName: "name"))
  var profile: String?

  @Flag(name: .customLong("print"), help: "Print the entry instead of writing it.")
  var prints = false

  func validate() throws {
    if let choose, choose < 1 { throw ValidationError("--choose takes a number from 1 on") }
    if let name, FeedName(name) == nil {
      throw ValidationError("a name has 1 to 100 letters, digits, -, _ and ., a letter or digit first")
    }
    if catalog, downloads || file != nil || prints {
      throw ValidationError("write --catalog without --download, --file and --print")
    }
    if profile != nil, !catalog { throw ValidationError("--profile is for --catalog") }
    if let mistake = tags.lazy.compactMap(tagMistake).first { throw ValidationError(mistake) }
  }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    try await invocation.add(
      AddOrder(
        url: url, name: name.flatMap(FeedName.init), tags: tags, downloads: downloads, choice: choose,
        file: file, isForCatalog: catalog, profile: profile, prints: prints))
  }
}
