// `bgfetch transfers verify`: the downloaded files beside what the state says of them, after a restore or a move.

import ArgumentParser
import Core
import Machine
import Store

struct TransferVerifyCommand: ProgramCommand {
  static let heading = ("verify", "Compare the downloaded files, or objects, with the state")

  @OptionGroup var common: CommonOptions

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    let state = try await invocation.openState(for: .reading)
    let placed = try await state.store.allPlacedFiles()
    let used = try await state.store.usedDirectories()
    let configured = [state.settings.documents] + state.settings.ownDirectories.map(\.path)
    let changing = Set(
      state.settings.feeds.ofFiles.filter { feed in state.settings.hooks.contains { $0.getsFiles(of: feed) } }
        .map(\.name))
    var findings: [FileFinding] = []
    let directories = configured.filter { used.contains($0) || BucketSpec.isBucket($0) } + placed.keys
    for directory in Set(directories).sorted() {
      let found = try await state.withEffects { await $0.documents(directory).sizes() }
      switch found {
      case .success(let sizes):
        findings += fileFindings(
          placed[directory] ?? [], in: directory, sizes,
          ofAnySize: BucketSpec.isBucket(directory) ? [] : changing)
      case .failure(let problem): throw ProgramFailure.other([text(of: .documents(problem))], .storage)
      }
    }
    let whole = "\(counted(placed.values.joined().count, "file")), all as the state says"
    invocation.console.print(
      json: findings.map(\.json), text: findings.isEmpty ? [whole] : findings.map(\.text))
    return findings.isEmpty ? .success : .someFailed
  }
}

/// A difference between a file and the state: its size by the state and its real one, nil for what there is not.
private struct FileFinding {
  let path: String
  var feed: FeedName?
  var size: Int64?
  var found: Int64?

  private var kind: String { size == nil ? "unknown" : found == nil ? "missing" : "different-size" }

  var json: JSONValue {
    JSONValue(["type": kind, "path": path, "feed": feed, "size": size, "found": found])
  }

  var text: String {
    let sizes = size.flatMap { size in found.map { ", \($0) bytes instead of \(size)" } } ?? ""
    return "\(kind): \(path)" + (feed.map { ", of \($0)" } ?? "") + sizes
  }
}

/// Compares the placed files of a directory with the sizes of the files in it.
///
/// - Parameter changing: the feeds whose hooks may change their files.
private func fileFindings(
  _ placed: [(feed: FeedName, file: PlacedFile)], in directory: String, _ sizes: [String: Int64],
  ofAnySize changing: Set<FeedName>
) -> [FileFinding] {
  let known = placed.compactMap { feed, file in
    let found = sizes[file.name]
    return found == file.size || found != nil && changing.contains(feed)
      ? nil : FileFinding(path: file.path, feed: feed, size: file.size, found: found)
  }
  let unknown = Set(sizes.keys).subtracting(placed.map(\.file.name)).sorted()
  return known + unknown.map { FileFinding(path: documentPath(directory, $0), found: sizes[$0]) }
}
