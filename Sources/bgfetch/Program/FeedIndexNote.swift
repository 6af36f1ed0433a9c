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
        index: note.index, facts: note.facts), let settings = reading.settings
    else { return nil }
    // After the files are read, so that what was read is what was indexed.
    let sources = reading.sources.map { ($0, FileStamp($0)) }
    guard note.sources.elementsEqual(sources.map { Substring(SourceNote.line(of: $0, $1)) }),
      note.sources.allSatisfy(SourceNote.holds)
    else { return nil }
    try trust(settings.certificateFiles)
    return LoadedConfiguration(
      settings: settings, warnings: reading.problems, findings: findings, files: reading.files,
      sources: sources, began: began, namesVariables: note.namesVariables)
  }

  /// Stores the index of a large configuration that was read in full.
  func writeIndex(of loaded: LoadedConfiguration) {
    let facts = loaded.settings.feeds.facts
    guard let index = loaded.index, let sources = SourceNote.lines(of: loaded) else { return }
    let lines =
      [SourceNote.firstLine(self, withAllVariables: loaded.namesVariables)]
      + facts.secretVariables.sorted().map { FeedIndexNote.variable + $0 }
      + facts.certificateFiles.sorted().map { FeedIndexNote.certificate + $0 }
      + [facts.fingerprint].compactMap(\.self).map { FeedIndexNote.fingerprint + String($0, radix: 16) }
      + sources
    guard !lines.contains(where: { $0.utf8.contains(newline) }) else { return }
    SourceNote.feeds.write(Array((lines.joined(separator: "\n") + "\n\n").utf8) + index.stored, self)
  }
}

/// A stored index: the lines of `SourceNote`, of variables with secrets, of files with certificates and of the feeds'
/// fingerprint, an empty line, and the index itself.
private struct FeedIndexNote {
  let facts: FeedListFacts
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
    guard let first = lines.first, let index = FeedIndex(stored: Array(bytes[(end + 2)...])),
      let namesVariables = [false, true].first(where: {
        first == SourceNote.firstLine(invocation, withAllVariables: $0)
      })
    else { return nil }
    self.namesVariables = namesVariables
    self.index = index
    func words(_ kind: String) -> Set<String> {
      Set(lines.filter { $0.hasPrefix(kind) }.map { String($0.dropFirst(kind.count)) })
    }
    sources = lines.dropFirst().filter { line in !Self.kinds.contains { line.hasPrefix($0) } }
    var facts = FeedListFacts()
    facts.secretVariables = words(Self.variable)
    facts.certificateFiles = words(Self.certificate)
    facts.fingerprint = words(Self.fingerprint).first.flatMap { UInt64($0, radix: 16) }
    self.facts = facts
  }

  static let variable = "variable "
  static let certificate = "certificate "
  static let fingerprint = "fingerprint "
  private static let kinds = [variable, certificate, fingerprint]
}

private let newline = UInt8(ascii: "\n")
