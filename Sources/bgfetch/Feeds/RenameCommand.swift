// `bgfetch rename`: gives a feed another name, in the configuration and in the store.

import ArgumentParser
import Config
import Core
import Machine
import Store

struct RenameCommand: ProgramCommand {
  static let heading = ("rename", "Rename a feed, which keeps its items, stars and files")

  @OptionGroup var common: ConfigurationOption

  @Argument(help: "Its name.", completion: .feedNames)
  var feed: String

  @Argument(help: "Its new name.")
  var name: String

  func validate() throws { try requireFeedName(name) }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let renamed = try await invocation.retrying { try await invocation.rename(self) }
    let (rename, console) = (renamed.rename, invocation.console)
    console.print("renamed \(rename.former) to \(rename.name) in \(list(renamed.places, "and"))")
    switch try await invocation.renameInStore(renamed) {
    case let items?: console.print("it keeps its \(counted(items, "item")), stars and files")
    case nil: console.print("the next run gives its items, stars and files the new name")
    }
    for warning in renamed.warnings { console.say(warning, .warning) }
    return .success
  }
}

/// A feed that has another name in the configuration.
private struct RenamedFeed {
  var rename: FeedRename
  /// The settings with the new name.
  var settings: Settings
  /// The files that were changed; or the catalog.
  var places: [String]
  /// New warnings about the configuration, and lists of hooks or outputs that do not select the new name.
  var warnings: [String] = []
}

extension Invocation {
  /// Changes the configuration, or the catalog; nil if the configuration was changed meanwhile.
  fileprivate func rename(_ order: RenameCommand) async throws -> RenamedFeed? {
    let configuration = try editableConfiguration()
    var settings = configuration.settings
    settings.feeds = await knownFeeds(settings)
    let spec = try feed(named: order.feed, in: settings)
    guard let name = FeedName(order.name) else { return nil }
    try requireFree(name, settings.feeds)
    let rename = FeedRename(spec.name, name)
    guard configuration.file(of: spec.name) != nil else {
      return RenamedFeed(rename: rename, settings: settings, places: ["the catalog"])
    }
    var texts: [Int: [UInt8]] = [:]
    for (number, file) in configuration.files.enumerated() {
      let text = try restating(renaming(rename, in: file.bytes)) { (error: Refusal) in
        ProgramFailure.notEdited(file.name, error)
      }
      if text != file.bytes { texts[number] = text }
    }
    let (after, warnings) = try check(
      texts, of: configuration, adding: [name], removing: [spec.name], renaming: rename)
    guard try replace(texts, of: configuration) else { return nil }
    return RenamedFeed(
      rename: rename, settings: after, places: texts.keys.sorted().map { configuration.files[$0].name },
      warnings: warnings.map(\.text) + lost(spec, name, after))
  }

  /// The hooks and outputs that selected a feed by a glob that its new name does not match.
  private func lost(_ feed: FeedSpec, _ name: FeedName, _ after: Settings) -> [String] {
    var renamed = feed
    renamed.name = name
    let lists =
      after.hooks.map { ("hook \($0.name)", $0.feeds) }
      + after.outputs.map { ("output \($0.path)", $0.feeds) }
    return lists.filter { _, words in
      words.contains(where: feed.isSelected) && !words.contains(where: renamed.isSelected)
    }.map { owner, words in
      "warning: \(owner) has feeds: [\(words.joined(separator: ", "))], which \(name) does not match"
    }
  }

  /// Gives the stored feed its new name, if there is one; returns the number of its items, or nil if the next run has to do that.
  fileprivate func renameInStore(_ renamed: RenamedFeed) async throws -> Int? {
    let (rename, settings) = (renamed.rename, renamed.settings)
    guard Store.exists(for: settings) else { return 0 }
    let isOfFile = settings.feeds.ofFiles.contains { $0.name == rename.name }
    let lock = settings.server == nil ? try? acquire(settings.runLock) : nil
    if lock == nil, isOfFile { return nil }
    defer { lock?.release() }
    let state = try await open(settings, for: .writing)
    let now = try await state.storeTime()
    let items =
      try await isOfFile ? state.store.rename(rename) : state.store.renameInCatalog(rename, at: now)
    await state.store.close()
    state.wakeWatch()
    return items ?? 0
  }
}
