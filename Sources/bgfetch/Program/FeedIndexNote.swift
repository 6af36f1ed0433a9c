// The index of the feeds of a large configuration. A run writes it; commands then read the feeds that they need.

import Config
import Core
import Host

extension Invocation {
  /// The configuration by its index; nil if there is no index, or a file has changed since.
  func indexedConfiguration(
    _ bytes: [UInt8], of path: String, _ findings: [SafetyFinding], began: Int
  ) throws -> LoadedConfiguration? {
    guard let note = FeedIndexNote(of: self),
      let reading = readConfiguration(
        bytes, file: path, path: absolutePath(path),
        context: configurationContext(.ofMachine(replacing: [:])),
        index: note.index, secretVariables: note.secretVariables), let settings = reading.settings
    else { return nil }
    // After the files are read, so that what was read is what was indexed.
    let sources = reading.sources.map { ($0, FileStamp($0)) }
    guard note.sources.elementsEqual(sources.map { Substring(SourceNote.line(of: $0, $1)) }),
      note.sources.allSatisfy(SourceNote.holds)
    else { return nil }
    try trust(settings.certificateFiles)
    return LoadedConfiguration(
      settings: settings, warnings: reading.problems, findings: findings, files: reading.files,
      sources: sources, texts: reading.texts, began: began, namesVariables: note.namesVariables)
  }

  /// The configuration of a daemon, by its index if it is large, so that not all feeds stay in memory.
  func lastingConfiguration() throws -> LoadedConfiguration {
    let loaded = try configuration()
    return writeIndex(of: loaded) ? try configuration() : loaded
  }

  /// Stores the index of a configuration that was read in full, if it is large; returns whether it did.
  @discardableResult
  func writeIndex(of loaded: LoadedConfiguration) -> Bool {
    guard loaded.isLarge, !loaded.settings.feeds.areIndexed,
      loaded.settings.feeds.allSatisfy({ $0.network.caFile == loaded.settings.network.caFile }),
      let sources = SourceNote.lines(of: loaded), let index = FeedIndex(of: loaded.texts)
    else { return false }
    let lines =
      [SourceNote.firstLine(self, withAllVariables: loaded.namesVariables)]
      + loaded.settings.feeds.secretVariables.sorted().map { FeedIndexNote.variable + $0 } + sources
    SourceNote.feeds.write(Array((lines.joined(separator: "\n") + "\n\n").utf8) + index.stored, self)
    return true
  }
}

/// A stored index: the lines of `SourceNote` and of variables with secrets, an empty line, and the index itself.
private struct FeedIndexNote {
  let secretVariables: Set<String>
  /// Whether the files may name variables of the environment.
  let namesVariables: Bool
  /// The lines of the files of the configuration.
  let sources: [Substring]
  let index: FeedIndex

  init?(of invocation: Invocation) {
    guard let bytes = SourceNote.feeds.content(invocation, limit: ByteCount(256 << 20)) else { return nil }
    let end = bytes.indices.dropLast().first { bytes[$0] == newline && bytes[$0 + 1] == newline }
    guard let end else { return nil }
    let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\n")
    guard let first = lines.first, let index = FeedIndex(Array(bytes[(end + 2)...])),
      let namesVariables = [false, true].first(where: {
        first == SourceNote.firstLine(invocation, withAllVariables: $0)
      })
    else { return nil }
    self.namesVariables = namesVariables
    self.index = index
    sources = lines.dropFirst().filter { !$0.hasPrefix(Self.variable) }
    secretVariables = Set(
      lines.filter { $0.hasPrefix(Self.variable) }.map { String($0.dropFirst(Self.variable.count)) })
  }

  static let variable = "variable "
}

private let newline = UInt8(ascii: "\n")
