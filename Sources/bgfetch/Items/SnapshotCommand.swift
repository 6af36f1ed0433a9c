// `bgfetch snapshot`: an HTML page of unseen items.

import ArgumentParser
import Core
import Store

struct SnapshotCommand: ProgramCommand {
  static let configuration = CommandConfiguration(
    commandName: "snapshot", abstract: "Write an HTML page of unseen items",
    discussion: "With the key snapshot: FILE, bgfetch keeps such a page up to date by itself.")

  @OptionGroup var common: CommonOptions

  @Argument(
    help: ArgumentHelp("Feeds by name, glob or @tag; default: all.", valueName: "feed"),
    completion: .feedNames)
  var feeds: [String] = []

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write to this file, which is replaced; default: standard output.", valueName: "file"),
    completion: .file())
  var output: String?

  @Flag(help: "Refer to images on other servers, which then see when you read the page.")
  var images = false

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: .reading)
    var page = OutputSpec(path: output ?? "-", format: .html)
    page.unseenOnly = true
    if !feeds.isEmpty {
      page.feeds = try selectedFeeds(feeds, from: state.settings.feeds).map(\.name.text)
    }
    let text = document(
      try await state.publication(of: page), as: .html,
      in: try state.zone(), showsImages: images)
    await state.store.close()
    try invocation.write(text, to: output, isForced: true)
    return .success
  }
}
