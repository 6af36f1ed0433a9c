// Changes of the configuration by `add`, `import`, `remove` and `rename`: read, edit, check the new text whole, replace the file.

import Config
import Core
import Machine
import Store

/// The configuration as an edit finds it.
struct EditableConfiguration {
  /// One file, with its name in messages and its absolute path.
  struct File {
    var name: String
    var path: String
    var bytes: [UInt8]
  }

  /// The files, the main one first; none if there is no configuration yet.
  var files: [File]
  var settings: Settings
  /// The warnings of `check` before the edit.
  var warnings: [ConfigurationProblem]

  /// The file that has a feed.
  func file(of feed: FeedName) -> Int? {
    files.firstIndex { hasFeed(feed, in: $0.bytes) }
  }
}

extension Invocation {
  /// Reads the configuration to change it; throws its mistakes.
  ///
  /// - Parameter mayLackFeeds: whether it may have no feeds yet, or be an empty file.
  func editableConfiguration(mayLackFeeds: Bool = false) throws -> EditableConfiguration {
    let (path, bytes, findings) = try configurationFile()
    guard !findings.contains(where: \.isRefusal) else { throw ProgramFailure.unsafe(findings) }
    let reading = reading(bytes, of: path, mayLackFeeds: mayLackFeeds)
    guard let settings = reading.settings else {
      throw ProgramFailure.configuration(reading.problems.filter { !$0.isWarning })
    }
    let files = try zip(reading.files, reading.sources).enumerated().map { index, file in
      let content = try index == 0 ? bytes : readFile(file.1, limit: largestConfiguration)
      return EditableConfiguration.File(name: file.0, path: absolutePath(file.1), bytes: content)
    }
    return EditableConfiguration(files: files, settings: settings, warnings: reading.problems)
  }

  /// Checks the configuration with the new content of some files, whole; throws its mistakes.
  ///
  /// - Parameters:
  ///   - texts: the new content by number of the file.
  ///   - configuration: the configuration before the change.
  ///   - added: the feeds that are new.
  ///   - removed: the feeds that are gone.
  ///   - rename: the new name of a feed, which is one of both.
  /// - Returns: the settings after the change, and the warnings that it leads to.
  func check(
    _ texts: [Int: [UInt8]], of configuration: EditableConfiguration, adding added: Set<FeedName> = [],
    removing removed: Set<FeedName> = [], renaming rename: FeedRename? = nil
  ) throws -> (settings: Settings, warnings: [ConfigurationProblem]) {
    let files = configuration.files
    var contents: [String: [UInt8]] = [:]
    for (index, file) in files.enumerated().dropFirst() { contents[file.path] = texts[index] ?? file.bytes }
    let after = reading(texts[0] ?? files[0].bytes, of: files[0].name, replacing: contents)
    guard let settings = after.settings else {
      console.say("bgfetch: nothing was changed, because the configuration would be invalid:", .error)
      throw ProgramFailure.configuration(after.problems.filter { !$0.isWarning })
    }
    guard
      differ(configuration.settings, settings, onlyByAdding: added, removing: removed, renaming: rename)
    else {
      throw ProgramFailure.notEdited(
        files[0].name,
        Refusal("the change would also change other settings", cure: "edit the file yourself"))
    }
    let known = Set(configuration.warnings.map(\.what))
    return (settings, after.problems.filter { !known.contains($0.what) })
  }

  /// Replaces the files, each atomically; false if another program has changed one of them meanwhile.
  func replace(_ texts: [Int: [UInt8]], of configuration: EditableConfiguration) throws -> Bool {
    for (index, text) in texts.sorted(by: { $0.key < $1.key }) {
      let file = configuration.files[index]
      do throws(FileFailure) {
        try EditedFile.replace(file.path, from: file.bytes, to: text)
      } catch {
        if error.problem == .changed, index == texts.keys.min() { return false }
        if error.problem == .denied, SystemPlaces.contains(configuration: file.path) {
          throw ProgramFailure.usage(
            "\(file.path): is the configuration of the whole machine, and only root may change it; run this as root, or "
              + "write one of your own with bgfetch add --config ~/.config/bgfetch/bgfetch.yaml URL")
        }
        throw ProgramFailure.configurationFile(error)
      }
    }
    return true
  }

  /// Makes a change, and repeats it a bounded number of times if another program changes the configuration meanwhile.
  ///
  /// - Parameter change: makes the change from a fresh reading; nil if a file was changed meanwhile.
  func retrying<Outcome>(_ change: () async throws -> Outcome?) async throws -> Outcome {
    for _ in 0..<30 {
      if let outcome = try await change() { return outcome }
    }
    throw ProgramFailure.usage("another program keeps changing the configuration; try again later")
  }
}

// Additions.
extension Invocation {
  /// The configuration, if there is one; throws whatever would prevent the addition of any feed.
  func configurationToAddTo(file: String?, tags: [String] = []) throws -> EditableConfiguration? {
    guard let name = FeedName("bgfetch-add-trial") else { return nil }
    let trial = NamedSubscription(
      name: name, subscription: Subscription(url: "https://feed.example/", tags: tags))
    do {
      let configuration = try editableConfiguration(mayLackFeeds: true)
      _ = try edit(configuration, adding: [trial], to: file)
      return configuration
    } catch ProgramFailure.noConfiguration {
      guard file == nil else {
        throw ProgramFailure.usage("--file needs a configuration that includes the file; leave it out")
      }
      return nil
    }
  }

  /// The feeds of the files and the catalog; without the catalog if the store cannot be read.
  func knownFeeds(_ settings: Settings?) async -> FeedList {
    guard let settings, Store.exists(for: settings) else {
      return settings?.feeds ?? []
    }
    guard let state = try? await open(settings, for: .reading) else { return settings.feeds }
    let feeds = try? await state.withCatalog().settings.feeds
    await state.store.close()
    return feeds ?? settings.feeds
  }

  /// The file with more feeds, checked as part of the whole configuration.
  func edit(
    _ configuration: EditableConfiguration, adding feeds: [NamedSubscription], to file: String?
  ) throws -> (number: Int, text: [UInt8], settings: Settings) {
    let number = try file.map { try self.number(of: $0, in: configuration) } ?? 0
    let file = configuration.files[number]
    let text = try restating(adding(feeds, to: file.bytes)) { (error: Refusal) in
      ProgramFailure.notEdited(file.name, error)
    }
    let after = try check([number: text], of: configuration, adding: Set(feeds.map(\.name)))
    return (number, text, after.settings)
  }

  private func number(of file: String, in configuration: EditableConfiguration) throws -> Int {
    let wanted = fileIdentity(file)
    if let number = configuration.files.firstIndex(where: { wanted != nil && fileIdentity($0.path) == wanted }
    ) {
      return number
    }
    let known = configuration.files.map(\.name).joined(separator: ", ")
    throw ProgramFailure.usage("\(file) is not a file of the configuration; the files are: \(known)")
  }
}
