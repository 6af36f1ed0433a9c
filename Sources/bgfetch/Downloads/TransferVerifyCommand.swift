// `bgfetch transfers verify`: the downloaded files beside what the state says of them, after a restore or a move.

import ArgumentParser
import Core
import Machine
import Running
import Store

struct TransferVerifyCommand: ProgramCommand {
  static let heading = ("verify", "Compare the downloaded files, or objects, with the state")

  @OptionGroup var common: CommonOptions

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: .reading)
    let settings = state.settings
    var placed: [String: [(feed: FeedName, file: PlacedFile)]] = [:]
    for feed in try await state.store.feedsWithFiles() {
      for file in try await state.store.placedFiles(feed).map(\.file) {
        placed[file.directory, default: []].append((feed, file))
      }
    }
    let used = try await state.store.usedDirectories()
    let changing = Set(settings.feeds.ofFiles.filter(settings.mayChangeFiles).map(\.name))
    var findings: [(json: JSONValue, text: String)] = []
    func add(_ kind: String, _ path: String, _ feed: FeedName?, size: Int64?, found: Int64?) {
      let sizes = size.flatMap { size in found.map { ", \($0) bytes instead of \(size)" } } ?? ""
      findings.append(
        (
          JSONValue(["type": kind, "path": path, "feed": feed, "size": size, "found": found]),
          "\(kind): \(path)" + (feed.map { ", of \($0)" } ?? "") + sizes
        ))
    }
    let configured = [settings.documents].filter { used.contains($0) || BucketSpec.isBucket($0) }
    for directory in Set(configured + placed.keys).sorted() {
      let sizes = try await state.withEffects { try await $0.documents(directory).sizes() }
      let files = placed[directory] ?? []
      for (feed, file) in files where sizes[file.name] != file.size {
        let found = sizes[file.name]
        // A hook may have changed a file of a directory.
        guard found == nil || BucketSpec.isBucket(directory) || !changing.contains(feed) else { continue }
        add(found == nil ? "missing" : "different-size", file.path, feed, size: file.size, found: found)
      }
      for name in Set(sizes.keys).subtracting(files.map(\.file.name)).sorted() {
        add("unknown", documentPath(directory, name), nil, size: nil, found: sizes[name])
      }
    }
    let whole = "\(counted(placed.values.joined().count, "file")), all as the state says"
    invocation.console.print(
      json: findings.map(\.json), text: findings.isEmpty ? [whole] : findings.map(\.text))
    return findings.isEmpty ? .success : .someFailed
  }
}
